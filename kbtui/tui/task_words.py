"""What people call the things they want to do, by the action that does it: the palette finds actions by these, too."""

from __future__ import annotations

TASK_WORDS: dict[str, str] = {
    "explore.explain": "above rank order position score",
    "explore.context": "cut left out exact text agent sees gets",
    "explore.graph": "neighbour relation link",
    "explore.read": "open document whole",
    "explore.pools": "tier starved retriever",
    "explore.budget": "half budget cut trimmed dropped cost bytes tokens",
    "explore.tune": "penalty weight number setting better change",
    "explore.save": "keep write agents toml",
    "explore.pin": "compare before against",
    "explore.diff": "moved changed compare",
    "explore.inactive": "archived superseded status filter",
    "app.why": "missing absent not found gone",
    "app.copy": "command json mcp clipboard",
    "app.search": "grep find word",
    "app.theme": "dark light colour contrast",
    "app.log": "agents asked replay",
    "app.corpus": "skipped files types dangling duplicates",
    "app.export": "svg csv picture",
    "query.types": "type only limit guide",
    "graph.added": "graph adds brings neighbour refused",
    "results.include": "add by hand what if",
}
"""By the id of an action."""
