"""kbtui: an operator's cockpit for a knowledge base that AI agents query."""

__version__ = "0.1.0"
