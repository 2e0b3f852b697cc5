"""The lexical index: literal queries, types, stable order, changes in a copy that leave the original alone."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from kbtui.errors import StoreError
from kbtui.store.lexical import Lexical, LexicalRow, LexicalWriter


def row(key: int, text: str, source_type: str = "guide", title: str = "") -> LexicalRow:
    return LexicalRow(key, source_type, title, (), f"{source_type}/{key}.md", text)


def built(folder: Path, rows: Iterable[LexicalRow]) -> Lexical:
    writer = LexicalWriter(folder)
    writer.add(rows)
    writer.commit()
    return Lexical(folder)


def keys(lexical: Lexical, text: str, *source_types: str, n: int = 10) -> list[int]:
    return [key for key, _ in lexical.search(text, source_types or None, n)]


ROWS = (
    row(1, "The retry policy doubles the delay between attempts."),
    row(2, "const provider = new StateProvider(config);", "src"),
    row(3, "A ticket about retries that never stop", "ticket"),
    row(4, "状態プロバイダー"),
    row(5, "What AND OR NOT mean: body:retry* is written like this (see ~2)."),
)


@pytest.fixture
def lexical(tmp_path: Path) -> Lexical:
    return built(tmp_path / "lexical", ROWS)


def test_words_are_found_in_any_form(lexical: Lexical) -> None:
    """`retrying` finds retry and retries."""
    assert set(keys(lexical, "retrying")) == {1, 3, 5}


def test_types_bound_the_search(lexical: Lexical) -> None:
    """Only passages of the types asked for; no type finds nothing."""
    assert keys(lexical, "retry", "ticket") == [3]
    assert set(keys(lexical, "retry", "ticket", "guide")) == {1, 3, 5}
    assert lexical.search("retry", (), 10).keys.tolist() == []


def test_parts_of_a_name_are_found(lexical: Lexical) -> None:
    """`state provider` finds StateProvider, and StateProvider finds itself."""
    assert keys(lexical, "state") == [2]
    assert keys(lexical, "StateProvider")[0] == 2


def test_cjk_is_found_by_its_characters(lexical: Lexical) -> None:
    """A word inside a run without spaces."""
    assert keys(lexical, "態") == [4]
    assert keys(lexical, "状態") == [4]


@pytest.mark.parametrize("text", ["", "   ", "!?*:()[]{}^~\\\"'", "\x00"])
def test_a_text_without_words_finds_nothing(lexical: Lexical, text: str) -> None:
    """Punctuation is no error and no query syntax."""
    assert lexical.search(text, None, 10).keys.tolist() == []


@pytest.mark.parametrize(
    "text", ["body:retry", "retry AND (stop", "+retry -policy", 'retry"', "retry~2", "[a TO b] retry"]
)
def test_operators_are_words(lexical: Lexical, text: str) -> None:
    """What other engines take for syntax neither raises nor excludes: the passage about the retry policy is found."""
    assert 1 in keys(lexical, text)


def test_stop_words_do_not_outweigh(lexical: Lexical) -> None:
    """A long question is about its telling words: no passage is found by `what` and `the` alone."""
    assert set(keys(lexical, "what is the retry")) == {1, 3, 5}


def test_the_best_n_by_score_then_key(tmp_path: Path) -> None:
    """Equal passages come in the order of their keys, and a cut keeps the smallest keys."""
    lexical = built(tmp_path / "lexical", [row(key, "same words here") for key in range(1, 41)])
    assert keys(lexical, "words", n=40) == list(range(1, 41))
    assert keys(lexical, "words", n=7) == list(range(1, 8))


def test_a_query_of_a_megabyte_is_answered(lexical: Lexical) -> None:
    """No more than QUERY_WORDS words are looked up."""
    assert 1 in keys(lexical, "retry " + " ".join(f"word{n}" for n in range(100_000)))


def test_changes_in_a_copy_leave_the_original_alone(tmp_path: Path, lexical: Lexical) -> None:
    """Deleting, adding and replacing in the copy; the original answers as before, open or opened anew."""
    writer = LexicalWriter(tmp_path / "copy", copy_of=tmp_path / "lexical")
    writer.delete([1, 3])
    writer.add([row(3, "Nothing of that kind"), row(6, "retry once more")])
    writer.commit()
    changed = Lexical(tmp_path / "copy")
    assert set(keys(changed, "retry")) == {5, 6}
    assert changed.rows == len(ROWS) - 2 + 2
    for original in (lexical, Lexical(tmp_path / "lexical")):
        assert set(keys(original, "retry")) == {1, 3, 5}


def test_an_empty_index_answers(tmp_path: Path) -> None:
    """No passage at all: no hit, no error."""
    assert built(tmp_path / "lexical", []).search("anything", None, 10).keys.tolist() == []


def test_a_damaged_index_is_a_store_error(tmp_path: Path) -> None:
    """A folder that is no index is named, with the command that repairs it."""
    (tmp_path / "lexical").mkdir()
    (tmp_path / "lexical/meta.json").write_text("{}")
    with pytest.raises(StoreError, match="cannot be opened") as caught:
        Lexical(tmp_path / "lexical")
    assert "--rebuild" in caught.value.hint
