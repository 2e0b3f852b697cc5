"""One module a group of commands: each adds its parsers, and runs to an outcome that ``cli.py`` prints.

Nothing heavy is imported before a command runs: ``--help`` must be instant.
"""
