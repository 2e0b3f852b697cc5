"""What each pane shows, in a few sentences: the head of its help."""

from __future__ import annotations

PANE_HELP: dict[str, str] = {
    "query": (
        "The question, as an agent would ask it, and the source types it is limited to (empty: all types, each tier "
        "with its share). The answer follows as you type; the border tells the numbers it is asked with."
    ),
    "results": (
        "Every document of the answer in rank order: tier, type, score, the penalty in it, what it costs in bytes and "
        "tokens, and its fate. What an agent gets stands before the first rule; behind it, dimmed, are the documents "
        "that the budget dropped, and behind the limit those that were outranked. With a pinned answer, Δ says how "
        "far a document went: +2 is two places up. Sorting and filtering change what is seen, not what an agent gets."
    ),
    "explain": (
        "Why this row is where it is: the terms of its score as signed bars that add up to it, the words that matched, "
        "and its ranks in the pools that brought it. To change a term, open Tune."
    ),
    "context": (
        "The exact text an agent gets, and each document's part of the bill. Marks stand where something was left out; "
        "the notice at the end says what was cut, and what would help."
    ),
    "graph": (
        "What this row's document is related to, by kind of relation: what it leads to (→) and what leads to it (←). "
        "● marks what is in the answer, with its rank; ○ what the graph offered and the answer left, with the reason."
    ),
    "read": (
        "The whole document. A bar at the left marks what the agent gets of it; the rest was left out, or the document "
        "is not in the context."
    ),
    "pools": (
        "What each tier was asked for, found and used, in each retriever, and what each stage of the pipeline did. A "
        "tier that found nothing cannot be ranked: look here when a document is missing."
    ),
    "budget": (
        "What this budget keeps, trims and drops of this question, what would fit next, and the curve of it from a "
        "small budget to a large one."
    ),
    "tune": (
        "Every number of the engine. The list follows as a value moves; • marks what differs from its default, the "
        "percentage is a number's part of the first ten scores, and a number that this query does not use says so. "
        "Undo takes a change back; p pins an answer to compare with, T keeps tries, s writes to kbtui.toml."
    ),
}
"""By the name of the pane."""
