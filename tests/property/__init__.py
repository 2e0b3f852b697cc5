"""Property tests: the invariants."""
