"""What faces write: the shape of the JSON, keys only where they apply, texts that fit, and nothing raw."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kbtui import render
from kbtui.config import Config
from kbtui.model import (
    Below,
    BuildReport,
    Dangling,
    Duplicates,
    Extract,
    Neighbour,
    Neighbourhood,
    Oversized,
    Skipped,
    Span,
    Status,
    Survey,
    TotalRelation,
    Truncation,
    TypeStatus,
)
from kbtui.render.layout import cut_sentence, share, table
from kbtui.settings import Settings
from tests.answers import (
    GUIDE,
    HOSTILE,
    PULL,
    SUCCESSOR,
    cut_answer,
    hostile_answer,
    whole_answer,
    why_hostile,
    why_outranked,
)

RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What no text for a terminal may hold: control characters but newline and tab, and bidi controls."""

EVERYTHING = {"candidates": True, "context": True, "explain": True, "trace": True}


def parsed(text: str) -> dict[str, Any]:
    """Return what a program reads."""
    value: dict[str, Any] = json.loads(text)
    return value


def test_json_has_the_documented_keys_in_order() -> None:
    """The order of keys is part of the bytes."""
    assert list(parsed(render.answer_json(cut_answer(), **EVERYTHING))) == [
        "query",
        "count",
        "total",
        "total_relation",
        "_truncated_by_limit",
        "_limit_applied",
        "_truncated_by_budget",
        "count_is_exact",
        "truncation_note",
        "results",
        "candidates",
        "context",
        "usage",
        "budget",
        "pools",
        "truncations",
        "notices",
        "degraded",
        "trace",
    ]


def test_an_answer_that_is_all_there_is_has_no_key_of_a_cut() -> None:
    """No cut, no key: their presence is the message."""
    assert list(parsed(render.answer_json(whole_answer()))) == [
        "query",
        "count",
        "total",
        "total_relation",
        "results",
        "usage",
        "budget",
        "pools",
        "truncations",
        "notices",
        "degraded",
    ]


def test_a_row_has_its_terms_costs_and_fate() -> None:
    """Every number of a row is there, optional keys only where they apply."""
    whole, trimmed, dropped = parsed(render.answer_json(cut_answer()))["results"]
    assert list(whole) == [
        "rank",
        "id",
        "path",
        "title",
        "type",
        "tier",
        "score",
        "terms",
        "origin",
        "passages",
        "cost",
        "kept",
        "cumulative",
        "fate",
    ]
    assert whole["terms"][0] == {"name": "dense", "value": 0.54}
    assert whole["passages"] == [{"heading": ["Retries", "Backoff"], "start": 0, "end": 1000, "score": 0.92}]
    assert trimmed["kept"] == {"bytes": 8000, "tokens": 8000 // 4, "spans": [{"start": 0, "end": 8000}]}
    assert trimmed["score"] == pytest.approx(0.5 - 0.25)
    assert dropped["via"] == {"seed": GUIDE.doc_id, "kind": "link", "direction": "out", "depth": 1}
    assert dropped["kept"]["spans"] == []
    assert dropped["reason"] == "needs 4,060 bytes, 940 left"


def test_explain_adds_where_numbers_come_from() -> None:
    """Ranks and raw scores of each retriever, and the details of terms, come with explain alone."""
    row = parsed(render.answer_json(cut_answer(), explain=True))["results"][0]
    assert row["terms"][0]["detail"] == "0.6 x 0.900, rank 1, raw 0.61"
    assert row["passages"][0]["dense"] == {"rank": 1, "raw": 0.61, "scaled": 0.9}
    assert row["passages"][0]["lexical"] == {"rank": 2, "raw": 14.5, "scaled": 0.95}


def test_times_and_generation_come_with_the_trace_alone() -> None:
    """Two runs that differ only in time or in the name of a generation are the same bytes."""
    answer = cut_answer()
    later = replace(
        answer,
        trace=replace(answer.trace, generation="8"),
        pools=tuple(replace(pool, elapsed_ms=99.0) for pool in answer.pools),
    )
    for show in (render.answer_json, render.answer_text, render.context_json):
        assert show(answer) == show(later)
    assert "elapsed_ms" not in render.answer_json(answer)
    assert "elapsed_ms" in render.answer_json(answer, trace=True)


def test_used_counts_the_rows_that_a_pool_brought() -> None:
    """The historical pool found a pull request that is shown and a ticket that is not."""
    pools = parsed(render.answer_json(cut_answer()))["pools"]
    assert [(pool["found"], pool["used"]) for pool in pools] == [(1, 1), (2, 1)]


def test_a_limit_that_a_ceiling_chose_is_told_from_the_one_asked_for() -> None:
    """_limit_requested is there only where the caller asked for something else."""
    answer = cut_answer()
    assert "_limit_requested" not in parsed(render.answer_json(answer))
    ceiling = replace(answer, truncations=(replace(answer.truncations[0], requested=5000),))
    assert parsed(render.answer_json(ceiling))["_limit_requested"] == 5000


FLOOR = Truncation(
    stage="fuse",
    scope="ranking",
    limit_name="min_similarity",
    limit=0.45,
    requested=None,
    shown=1,
    total=7,
    total_relation="gte",
    remedy="a lower one brings it back",
)


def test_what_a_floor_kept_out_is_counted_and_listed() -> None:
    """The keys are there only with a floor that dropped something; the text lists the first five."""
    below = tuple(Below(doc_id=f"t/{number}.md", similarity=0.4 - number / 100) for number in range(6))
    answer = replace(whole_answer(), truncations=(FLOOR,), below=below)
    out = parsed(render.answer_json(answer))
    assert (out["_truncated_by_min_similarity"], out["_min_similarity_applied"]) == (True, 0.45)
    assert out["truncation_note"] == (
        "cut by min_similarity 0.45: the ranking holds 1 of at least 7 documents. a lower one brings it back."
    )
    assert out["below_min_similarity"][0] == {"id": "t/0.md", "similarity": 0.4}
    assert len(out["below_min_similarity"]) == 6
    lines = render.answer_text(answer).splitlines()
    assert "    0.400  t/0.md" in lines
    assert "    0.360  t/4.md" in lines
    assert "    and 1 more: see below_min_similarity in --json" in lines
    assert "min_similarity" not in render.answer_json(whole_answer()) + render.answer_text(whole_answer())


def test_a_row_names_the_documents_of_the_same_text() -> None:
    """In JSON under a key that is there only with some, in text a line each."""
    answer = whole_answer()
    copied = replace(answer, rows=(replace(answer.rows[0], duplicates=("old/a.md", "old/b.md")),))
    assert parsed(render.answer_json(copied))["results"][0]["duplicates"] == ["old/a.md", "old/b.md"]
    assert "    same text: old/a.md\n    same text: old/b.md\n" in render.answer_text(copied)
    assert "duplicates" not in parsed(render.answer_json(answer))["results"][0]


def test_a_note_of_many_cuts_is_bounded() -> None:
    """Five cuts are spelt out, the others counted; all of them are in truncations."""
    answer = cut_answer()
    many = replace(answer, truncations=answer.truncations[1:] * 9)
    out = parsed(render.answer_json(many))
    assert out["truncation_note"].endswith("And 4 more: see truncations.")
    assert len(out["truncations"]) == 9


def test_json_is_ascii_without_control_characters() -> None:
    """Whatever is in a document, a terminal gets printable ASCII, and a program gets the text as it was."""
    out, why = render.answer_json(hostile_answer(), **EVERYTHING), render.why_json(why_hostile())
    for written in (out, why):
        assert written.isascii()
        assert not RAW.search(written)
    assert parsed(out)["results"][0]["title"] == HOSTILE
    assert parsed(why)["gap"]["id"] == HOSTILE


def hostile_texts() -> Iterator[str]:
    """Yield every text for people, hostile text in every slot."""
    yield render.answer_text(hostile_answer(), **EVERYTHING)
    yield render.notices_text(hostile_answer())
    yield render.why_text(why_hostile())
    doc = replace(GUIDE, doc_id=HOSTILE, title=HOSTILE)
    near = Neighbour(doc_id=HOSTILE + "2", document=doc, parent=HOSTILE, kind=HOSTILE, direction="out", depth=1)
    yield render.neighbours_text(Neighbourhood(root=doc, neighbours=(near, replace(near, document=None))))
    yield render.status_text(
        replace(
            status(), store=HOSTILE, corpus=HOSTILE, skipped=(Skipped(path=HOSTILE, reason=HOSTILE, detail=HOSTILE),)
        ),
        replace(
            survey(),
            dangling=(Dangling(target=HOSTILE, source=HOSTILE, kind=HOSTILE, times=1),),
            oversized=(Oversized(document=doc, bound="budget", share=1.5),),
            duplicates=(Duplicates(doc_ids=(HOSTILE, HOSTILE), size_bytes=9),),
            dangling_total=1,
            over_budget=1,
            duplicate_groups=1,
        ),
    )
    yield render.build_text(replace(report(), skipped=(Skipped(path=HOSTILE, reason=HOSTILE),)))
    yield render.config_text(
        Config(settings=Settings(), store=Path(f"/{HOSTILE}"), sources={"limit": HOSTILE}, files=(Path(HOSTILE),))
    )


def test_no_text_for_people_holds_anything_raw() -> None:
    """Escape sequences, bidi overrides and line ends of documents end up visible or gone."""
    texts = list(hostile_texts())
    assert len(texts) == 7
    for text in texts:
        assert not RAW.search(text)
        assert "evil" in text
        assert "\nline" not in text


def test_texts_fit_eighty_columns() -> None:
    """Rows, terms and sentences; only an id or a path may be longer, since a cut one is of no use."""
    answer = render.answer_text(cut_answer(), **EVERYTHING).partition("\ncontext\n")[0]
    for line in (*answer.splitlines(), *render.why_text(why_outranked()).splitlines()):
        assert len(line) <= 80, line


def test_a_long_id_is_never_cut() -> None:
    """It is what one pastes into the next command."""
    answer = whole_answer()
    doc = replace(GUIDE, doc_id="deep/" * 40 + "file.md")
    text = render.answer_text(replace(answer, rows=(replace(answer.rows[0], document=doc),)))
    assert doc.doc_id in text


def test_no_hit_is_said() -> None:
    """An empty table would look like a failure."""
    text = render.answer_text(replace(whole_answer(), rows=()))
    assert text.startswith("No document answers: how does retry backoff work")


@pytest.mark.parametrize(
    ("limit_name", "scope", "said"),
    [
        ("limit", "response", "cut by limit 3: the response holds 1,200 of 3,400 documents. Raise it"),
        ("budget.bytes", "context", "cut by budget.bytes 3: the context holds 1,200 of 3,400 bytes. Raise it"),
        (
            "budget.document_tokens",
            "a.md",
            "cut by budget.document_tokens 3: a.md holds 1,200 of 3,400 tokens. Raise it",
        ),
    ],
)
def test_a_cut_says_what_is_left_of_how_much(limit_name: str, scope: str, said: str) -> None:
    """Bound, scope, unit, remedy."""
    assert cut_sentence(cut(limit_name, scope, "eq")) == said


@pytest.mark.parametrize(("relation", "said"), [("gte", "of at least 3,400 "), ("unknown", "of about 3,400 ")])
def test_a_total_is_as_exact_as_it_is_known(relation: TotalRelation, said: str) -> None:
    """A lower bound is never shown as the number."""
    assert said in cut_sentence(cut("limit", "response", relation))


def cut(limit_name: str, scope: str, relation: TotalRelation) -> Truncation:
    """Return a truncation with 1,200 of 3,400."""
    return Truncation(
        stage="pack",
        scope=scope,
        limit_name=limit_name,
        limit=3,
        requested=None,
        shown=1200,
        total=3400,
        total_relation=relation,
        remedy="Raise it",
    )


def test_a_share_is_never_rounded_to_an_end() -> None:
    """100% means all, 0% none."""
    assert share(999, 1000) == "99%"
    assert share(1, 1000) == "1%"
    assert share(0, 1000) == "0%"
    assert share(0, 0) == "100%"


def test_a_table_counts_cells_not_characters() -> None:
    """A wide character takes two."""
    assert table([("日本", "x"), ("a", "y")], "<<") == ["日本  x", "a     y"]


def status() -> Status:
    """Return a small status."""
    return Status(
        store="/kb/.kbtui",
        corpus="/kb",
        generation="7",
        documents=3,
        chunks=40,
        embedded=10,
        size_bytes=30_600,
        tokens=7_650,
        relations=5,
        dangling=1,
        embedder="minilm",
        tokenizer="cl100k",
        types=(
            TypeStatus(
                source_type="pull",
                tier="historical",
                documents=3,
                chunks=40,
                embedded=10,
                size_bytes=30_600,
                tokens=7_650,
            ),
        ),
        skipped=(),
    )


def survey() -> Survey:
    """Return a survey in which nothing deserves a look."""
    return Survey(
        generation="7",
        budget=Settings().budget(),
        dangling=(),
        dangling_total=0,
        oversized=(),
        over_budget=0,
        over_document=0,
        duplicates=(),
        duplicate_groups=0,
        duplicate_documents=0,
    )


def report() -> BuildReport:
    """Return a small report."""
    return BuildReport(
        generation="7",
        documents=3,
        chunks=40,
        added=1,
        changed=2,
        removed=0,
        embedded=10,
        from_cache=20,
        pending=10,
        skipped=(),
        elapsed_ms=1500.0,
    )


def test_status_tells_types_shares_and_what_was_skipped() -> None:
    """As data and as text; ten skipped files by name, all of them in JSON."""
    skipped = tuple(Skipped(path=f"{n}.bin", reason="binary") for n in range(12))
    full = replace(status(), skipped=skipped)
    out = parsed(render.status_json(full, survey()))
    assert out["embedded_share"] == 10 / 40
    assert out["types"][0] == {
        "type": "pull",
        "tier": "historical",
        "documents": 3,
        "chunks": 40,
        "embedded": 10,
        "bytes": 30_600,
        "tokens": 7_650,
    }
    assert len(out["skipped"]) == 12
    text = render.status_text(full, survey())
    assert "12 files skipped: 12 binary" in text
    assert "and 2 more; see --json" in text
    assert "25% embedded" in text


def test_status_names_what_deserves_a_look_and_counts_the_rest() -> None:
    """Lists are bounded, in the text more than in JSON; the counts are of all."""
    dangling = tuple(Dangling(target="gone.md", source=f"{n}.md", kind="link", times=40) for n in range(12))
    full = replace(
        survey(),
        dangling=dangling,
        dangling_total=40,
        oversized=(Oversized(document=GUIDE, bound="budget", share=2.375),),
        over_budget=1,
        over_document=7,
        duplicates=(Duplicates(doc_ids=("a.md", "b.md"), size_bytes=900),),
        duplicate_groups=1,
        duplicate_documents=2,
    )
    text = render.status_text(status(), full)
    assert "40 relations dangling, the commonest targets first:\n  0.md -link-> gone.md\n" in text
    assert "  and 30 more; see --json" in text
    assert "1 document larger than the budget of a context, 7 more than a document's part of it:" in text
    assert f"{GUIDE.doc_id}: {GUIDE.text_bytes:,} bytes, {GUIDE.tokens:,} tokens, 238% of the budget" in text
    assert "2 documents share 1 text; an answer has one of each:\n  a.md, b.md\n" in text
    out = parsed(render.status_json(status(), full))["survey"]
    assert out["dangling"]["total"] == 40
    assert out["dangling"]["relations"][0] == {"target": "gone.md", "source": "0.md", "kind": "link", "times": 40}
    assert out["oversized"]["documents"][0]["share"] == 2.375
    assert out["duplicates"] == {"total": 1, "documents": 2, "groups": [{"ids": ["a.md", "b.md"], "bytes": 900}]}
    clean = render.status_text(status(), survey())
    assert "no relation dangles\nno document is larger than its bound\nno two documents have the same bytes" in clean


def test_a_build_says_what_is_still_to_embed() -> None:
    """Pending passages are named while there are any."""
    assert "10 embedded now, 20 from the cache, 10 still to embed" in render.build_text(report())
    assert "still to embed" not in render.build_text(replace(report(), pending=0))
    assert parsed(render.build_json(report()))["pending"] == 10


def test_neighbours_are_a_list_with_depth_direction_and_cycles() -> None:
    """Breadth first as data; as text each under its parent."""
    near = Neighbour(doc_id=PULL.doc_id, document=PULL, parent=GUIDE.doc_id, kind="mention", direction="in", depth=1)
    gone = Neighbour(doc_id="gone", document=None, parent=GUIDE.doc_id, kind="link", direction="out", depth=1)
    far = Neighbour(
        doc_id=SUCCESSOR.doc_id, document=SUCCESSOR, parent=PULL.doc_id, kind="link", direction="out", depth=2
    )
    back = Neighbour(
        doc_id=GUIDE.doc_id, document=GUIDE, parent=PULL.doc_id, kind="mention", direction="out", depth=2, cycle=True
    )
    around = Neighbourhood(root=GUIDE, neighbours=(near, gone, far, back), hidden=3)
    assert render.neighbours_text(around).splitlines() == [
        "guides/retries.md  Retries and backoff",
        "  <-mention- pulls/412.md  Rework the backoff of the claim loop",
        "    -link-> decisions/adr-0015.md  Bounded jitter with a floor",
        "    -mention-> guides/retries.md  (met above)",
        "  -link-> gone  (dangling: no such document)",
        "  and 3 relations more, not shown",
    ]
    out = parsed(render.neighbours_json(around))
    assert out["count"] == 4
    assert out["hidden"] == 3
    assert out["count_is_exact"] is False
    assert out["neighbours"][1] == {
        "id": "gone",
        "dangling": True,
        "parent": GUIDE.doc_id,
        "kind": "link",
        "direction": "out",
        "depth": 1,
    }


def test_an_extract_says_where_it_is_from() -> None:
    """Bytes of the file, lines for people, the heading where a section was asked for."""
    extract = Extract(
        document=GUIDE, span=Span(start=10, end=20), heading=("Backoff",), text="It doubles.", lines=(2, 3)
    )
    out = parsed(render.extract_json(extract))
    assert out["span"] == {"start": 10, "end": 20}
    assert out["lines"] == {"first": 2, "last": 3}
    assert out["heading"] == ["Backoff"]
    assert out["text"] == "It doubles."


def test_config_says_where_each_value_came_from() -> None:
    """Changed ones name their layer, the others say default."""
    settings = Settings().with_values({"limit": 3, "penalty.memo": -0.1})
    config = Config(settings=settings, store=Path("/kb/.kbtui"), sources={"limit": "--limit", "penalty.memo": "x.toml"})
    rows = {row["key"]: row for row in parsed(render.config_json(config))["settings"]}
    assert rows["limit"] == {"key": "limit", "value": 3, "default": 5, "from": "--limit"}
    assert rows["penalty.memo"]["from"] == "x.toml"
    assert rows["expand"]["from"] == "default"
    text = render.config_text(config)
    assert re.search(r"^limit +3 +--limit$", text, re.MULTILINE)
    assert re.search(r"^expand +2 +default$", text, re.MULTILINE)
