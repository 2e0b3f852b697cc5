"""What each pane shows, in a few sentences: the head of its help."""

from __future__ import annotations

PANE_HELP: dict[str, str] = {
    "query": (
        "The question, as an agent would ask it, and what it is limited to, as `kbtui query` is: types by their names, "
        "path:GLOB, status:NAME, is:inactive (superseded and withdrawn ones, too), double quotes around spaces. Empty, "
        "all types are asked, each tier with its share. The answer follows as you type; the border tells how many "
        "filters are in force, and the numbers. Up and down go through the questions that were asked before."
    ),
    "results": (
        "Every document of the answer in rank order: tier, type, score, the penalty in it, what it costs in bytes and "
        "tokens, and its fate. What an agent gets stands before the first rule; behind it, dimmed, are the documents "
        "that the budget dropped, and behind the limit those that were outranked. With a pinned answer, Δ says how "
        "far a document went: +2 is two places up. Sorting and filtering change what is seen, not what an agent gets."
    ),
    "explain": (
        "Why this row is where it is: for a row that the graph brought (↳) how it came to its place; the terms of its "
        "score as signed bars that add up to it, the words that matched, its ranks and raw scores in its pool, what it "
        "costs; then by how much the rows above and below lead or trail, and which settings would turn that. To change "
        "one, open Tune."
    ),
    "context": (
        "The exact text an agent gets, and each document's part of the bill. Marks stand where something was left out: "
        "Enter shows the text there, behind ┆, which no agent gets. The notice at the end says what was cut, and what "
        "would help."
    ),
    "graph": (
        "What this row's document is related to, by kind of relation: what it leads to (→) and what leads to it (←). "
        "● marks what is in the answer, with its rank; ○ what the graph offered and the answer left, with the reason, "
        "which is told in whole below the tree for the line under the cursor; ↻ was met above. `a` lists all that the "
        "graph added to this answer, and all that it refused. The map shows what is nearest around the root (◉); what "
        "the cursor rests on is marked there."
    ),
    "read": (
        "The whole document, source code in colours. A bar at the left and a ground of its own mark what the agent "
        "gets of it, part by part; the rest was left out, or the document is not in the context."
    ),
    "pools": (
        "What each tier was asked for and found, in each retriever; what the same question of one pool, without tiers, "
        "would have returned instead, and how much of it is history (▼: less than half is found); and what each stage "
        "of the pipeline did. What no pool found cannot be ranked: look here when a document is missing."
    ),
    "budget": (
        "What is used of each bound, which one binds, and the passage that would fit next, with what it lacks. The "
        "curve shows what other budgets would keep of each document, the present one marked (▶); ▪ is frame and notice."
    ),
    "tune": (
        "Every number of the engine. The list follows as a value moves; • marks what differs from its default, the "
        "percentage is a number's part of the first ten scores, and a number that this query does not use says so. "
        "Undo takes a change back; p pins an answer to compare with, T keeps tries, s writes to kbtui.toml."
    ),
}
"""By the name of the pane."""
