"""The tests, by what can go wrong; see kbtui/ARCHITECTURE.md."""
