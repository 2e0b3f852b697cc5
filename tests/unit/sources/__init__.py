"""Sources: what is read, and how."""
