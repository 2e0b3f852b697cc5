"""Unit tests; mirrors the package."""
