"""The demo knowledge base: the documents of Hopbarrow, a job queue that does not exist."""

from __future__ import annotations

from pathlib import Path


def corpus() -> Path:
    """Return the folder of the demo knowledge base, shipped inside the package."""
    return Path(__file__).resolve().parent / "kb"
