"""What a question is limited to can be written as words, and read from them again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kbtui.errors import UsageError
from kbtui.model import Filters, Query
from kbtui.tui import only

VALUES = st.lists(st.text(min_size=1) | st.text(' ,:"\\*type', min_size=1), unique=True, max_size=4).map(tuple)
QUERIES = st.builds(
    Query,
    text=st.text(),
    source_types=VALUES,
    filters=st.builds(Filters, paths=VALUES, statuses=VALUES, inactive=st.booleans()),
)


@given(QUERIES)
def test_what_is_written_is_read_as_what_it_was(query: Query) -> None:
    words = only.written(query)
    assert only.limited(query.text, words) == query
    assert (words == "") == (only.count(query) == 0)


@given(st.text() | st.text(' ,:"\\*typeisahu', max_size=20))
def test_whatever_is_typed_is_a_question_or_a_refusal_and_writing_it_changes_nothing(words: str) -> None:
    try:
        query = only.limited("q", words)
    except UsageError:
        return
    assert only.limited("q", only.written(query)) == query
