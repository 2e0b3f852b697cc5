"""Terms, the floor and folded copies, through the command line on a small corpus with the real retrievers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kbtui import cli
from kbtui.explorer import index

RETRY = "# Retry backoff\n\nAfter a failed attempt the retry backoff doubles, up to ten minutes.\n"
FILES = {
    "guides/retry.md": RETRY,
    "old/retry.md": RETRY,
    "guides/attempts.md": "# Attempts\n\nThe backoff of each retry is counted. See [the old page](../old/retry.md).\n",
    "guides/due.md": "---\nreview_by: 2001-02-03\n---\n# Limits\n\nA retry has a limit, and so has its backoff.\n",
    "guides/later.md": "---\nreview_by: 2999-01-01\n---\n# Bounds\n\nThe bounds of a retry and of its backoff.\n",
    "guides/soup.md": "# Lentil soup\n\nSimmer onions, carrots and lentils in a large pot.\n",
    "guides/hikes.md": "# Mountain hikes\n\nBring water, a map and good boots.\n",
    "decisions/adr-1.md": "---\nid: adr-1\n---\n# Fixed retry\n\nA retry comes after a fixed backoff.\n",
    "decisions/adr-2.md": "---\nid: adr-2\nsupersedes: adr-1\n---\n# Doubled\n\nThe retry backoff is doubled.\n",
    "decisions/adr-3.md": "---\nreplaced_by: adr-2\n---\n# None\n\nThere is no retry and no backoff.\n",
    "decisions/adr-4.md": "---\nstatus: superseded\n---\n# Once\n\nOne retry, without a backoff.\n",
    "src/loop.py": 'def claim_loop():\n    """Retry with backoff."""\n    return 1\n',
}
QUERY = "retry backoff"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The corpus above, indexed."""
    root = tmp_path_factory.mktemp("terms")
    for name, text in FILES.items():
        path = root / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert index(root / "corpus", root / "store").skipped == ()
    return root / "store"


class Asked:
    """The command line on the store."""

    def __init__(self, store: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._store, self._capsys = store, capsys

    def text(self, *args: str, command: str = "query", text: str = QUERY) -> str:
        assert cli.main([command, text, "--store", str(self._store), *args]) == 0
        return self._capsys.readouterr().out

    def json(self, *args: str, text: str = QUERY) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(self.text("--json", "--candidates", "--explain", *args, text=text))
        return value


@pytest.fixture
def asked(store: Path, capsys: pytest.CaptureFixture[str]) -> Asked:
    return Asked(store, capsys)


def every_row(answer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in (*answer["results"], *answer["candidates"])}


def term(row: dict[str, Any], name: str) -> tuple[float, str] | None:
    found = [(one["value"], one.get("detail", "")) for one in row["terms"] if one["name"] == name]
    return found[0] if found else None


def step(answer: dict[str, Any], stage: str) -> dict[str, Any]:
    (found,) = [one for one in answer["trace"]["steps"] if one["stage"] == stage]
    return dict(found)


# --- the floor ---


def test_a_floor_says_what_it_dropped(asked: Asked) -> None:
    """Listed by cosine, counted in the trace, said in JSON and text with a remedy; what is left scores as before."""
    plain = asked.json("--expand", "0")
    assert "min_similarity" not in json.dumps(plain)
    floored = asked.json("--expand", "0", "--set", "min_similarity=0.3", "--trace")
    below = floored["below_min_similarity"]
    assert {"guides/soup.md", "guides/hikes.md"} <= {one["id"] for one in below}
    assert all(one["similarity"] < 0.3 for one in below)
    assert below == sorted(below, key=lambda one: (-one["similarity"], one["id"]))
    before, after = every_row(plain), every_row(floored)
    assert set(before) - set(after) == {one["id"] for one in below}
    for doc_id, row in after.items():
        assert row["score"] == before[doc_id]["score"]
    assert (floored["_truncated_by_min_similarity"], floored["_min_similarity_applied"]) == (True, 0.3)
    assert floored["truncation_note"].startswith("cut by min_similarity 0.3: the ranking holds")
    fused = step(floored, "fuse")
    assert fused["dropped"] == {"below min_similarity": len(below)}
    assert fused["in"] - fused["out"] == len(below)
    said = asked.text("--expand", "0", "--set", "min_similarity=0.3")
    assert "a lower --set min_similarity brings it back" in " ".join(said.split())
    assert f"{below[0]['similarity']:.3f}  {below[0]['id']}" in said


def test_a_floor_is_never_in_the_context(asked: Asked) -> None:
    """The text an agent gets holds what is left, and no word of the floor."""
    context = asked.text("--set", "min_similarity=0.3", "--set", "limit=20", command="context")
    assert "guides/retry.md" in context
    assert "soup" not in context
    assert "min_similarity" not in context


# --- copies ---


def test_copies_take_one_place_and_the_others_are_named(asked: Asked) -> None:
    """The copy is on the row of the one that stands for it, in no other row, and counted in the trace."""
    answer = asked.json("--limit", "20", "--expand", "0", "--trace")
    rows = every_row(answer)
    assert rows["guides/retry.md"]["duplicates"] == ["old/retry.md"]
    assert "old/retry.md" not in rows
    folded = step(answer, "fold")
    assert (folded["in"] - folded["out"], folded["dropped"]) == (1, {"the same text as another": 1})
    assert folded["notes"] == ["old/retry.md has the same text as guides/retry.md"]
    assert asked.text("--limit", "20", "--expand", "0").count("    same text: old/retry.md\n") == 1
    assert asked.text("--limit", "20", "--expand", "0", command="context").count("the retry backoff doubles") == 1


def test_the_graph_brings_no_copy_back(asked: Asked) -> None:
    """A guide in the answer links to the copy; the text is there once all the same."""
    answer = asked.json("--limit", "8", "--expand", "4", "--path", "*/retry.md", "--path", "*/attempts.md", "--trace")
    assert sorted(row["id"] for row in answer["results"]) == ["guides/attempts.md", "guides/retry.md"]
    tried = {one["id"]: one for one in answer["trace"]["neighbours"]}
    assert tried["old/retry.md"]["outcome"] == "already_present"
    assert tried["old/retry.md"]["reason"] == "it has the same text as guides/retry.md"


def test_a_copy_is_visible_where_the_other_is_filtered_out(asked: Asked) -> None:
    """Asked for its own type, or its path, it has a row, and stands for nothing that was not let in."""
    for args in (("--type", "raw"), ("--path", "old/*")):
        (row,) = asked.json(*args)["results"]
        assert row["id"] == "old/retry.md"
        assert "duplicates" not in row


# --- terms ---


def test_a_term_says_in_words_where_it_comes_from(asked: Asked) -> None:
    """Phrase, symbol, recency's absence and staleness on real documents; the score is their sum."""
    rows = every_row(asked.json("--limit", "20", "--expand", "0"))
    assert term(rows["guides/retry.md"], "phrase") == (0.1, 'the title holds "retry backoff"')
    assert term(rows["decisions/adr-2.md"], "phrase") == (0.1, 'a matched passage holds "retry backoff"')
    assert term(rows["guides/attempts.md"], "phrase") is None
    stale = term(rows["guides/due.md"], "penalty.stale")
    assert stale is not None
    assert stale[0] == -0.10
    assert stale[1].startswith("its review was due 2001-02-03, ")
    assert term(rows["guides/later.md"], "penalty.stale") is None
    symbol = every_row(asked.json("--limit", "20", text="ClaimLoop"))["src/loop.py"]
    assert term(symbol, "symbol") == (0.05, "claim claimloop loop")
    assert term(symbol, "heading") is None
    for row in (*rows.values(), symbol):
        assert row["score"] == sum(one["value"] for one in row["terms"])


def test_superseded_by_the_word_of_either_or_by_status(asked: Asked) -> None:
    """`supersedes` from the other side, `replaced_by` from its own, and a status: each pays 0.30."""
    rows = every_row(asked.json("--limit", "20", "--expand", "0", "--inactive"))
    paid = {doc_id for doc_id, row in rows.items() if (term(row, "penalty.superseded") or (0.0, ""))[0] == -0.30}
    assert paid == {"decisions/adr-1.md", "decisions/adr-3.md", "decisions/adr-4.md"}


def test_no_retriever_that_counts_is_said(asked: Asked) -> None:
    """With both weights at 0 there is an answer, and a notice that neither retriever counts."""
    answer = asked.json("--set", "weights.dense=0", "--set", "weights.lexical=0")
    assert [notice["code"] for notice in answer["notices"]] == ["weights.none"]
    assert asked.json("--set", "weights.dense=0")["notices"] == []
