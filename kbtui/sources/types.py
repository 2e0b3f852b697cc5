"""A document's source type: what its front matter says, else where it lies, else what it is."""

from __future__ import annotations

from kbtui.sources.formats import format_of
from kbtui.text import safe_line

ALIASES = {
    "adr": "decision",
    "decision-record": "decision",
    "issue": "ticket",
    "bug": "ticket",
    "pr": "pull",
    "pull-request": "pull",
    "changelog": "release",
    "release-note": "release",
    "tutorial": "guide",
    "doc": "guide",
    "how-to": "guide",
    "source": "src",
    "code": "src",
    "playbook": "runbook",
}
"""What front matter calls a type, and what kbtui calls it; a plural counts as its singular."""

FOLDERS = {
    name: source_type
    for source_type, names in {
        "guide": "docs doc guide guides learn tutorial tutorials manual",
        "blog": "blog blogs",
        "decision": "adr adrs decision decisions",
        "ticket": "issue issues issue-archive ticket tickets",
        "pull": "pull pulls pull-requests prs",
        "discussion": "discussion discussions",
        "release": "release-notes releases changelogs",
        "test": "test tests __tests__",
        "example": "example examples",
        "app": "app apps",
        "skill": "skill skills",
        "concept": "concept concepts",
        "architecture": "architecture architectures",
        "runbook": "runbook runbooks playbooks",
        "reference": "reference references",
        "commit": "commits",
    }.items()
    for name in names.split()
}
"""The names of folders that tell a type; the deepest one of a path counts."""

_KNOWN = frozenset(FOLDERS.values()) | {"src", "raw", "ai-infrastructure"}
_LONGEST_NAME = 40


def source_type(path: str, front_matter_type: str = "") -> str:
    """Return the type of the document at a path, given what its front matter says ("" for nothing)."""
    named = _named(front_matter_type)
    if named:
        return named
    *folders, name = path.lower().split("/")
    if name.startswith("changelog"):
        return "release"
    for folder in reversed(folders):
        if folder in FOLDERS:
            return FOLDERS[folder]
    return "src" if format_of(path) == "code" else "raw"


def _named(written: str) -> str:
    """Return the type that front matter names: any name is one, but for spelling."""
    name = "-".join(safe_line(written).lower().replace("_", " ").split())[:_LONGEST_NAME]
    for spelling in (name, name.removesuffix("s")):
        if spelling in ALIASES:
            return ALIASES[spelling]
        if spelling in _KNOWN:
            return spelling
    return name
