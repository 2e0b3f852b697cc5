"""The words of the field beside the question: what they limit, and how what cannot be read is refused."""

from __future__ import annotations

import pytest

from kbtui.errors import UsageError
from kbtui.model import Filters, Query
from kbtui.tui import only


def test_plain_words_are_types_and_prefixes_are_the_filters_of_the_command_line() -> None:
    words = 'guide, pull guide path:docs/* path:"my notes/*.md" status:accepted is:inactive type:odd:one don\'t'
    assert only.limited("q", words) == Query(
        text="q",
        source_types=("guide", "pull", "odd:one", "don't"),
        filters=Filters(paths=("docs/*", "my notes/*.md"), statuses=("accepted",), inactive=True),
    )


def test_it_is_written_as_shortly_as_it_can_be_read() -> None:
    query = Query(
        text="q",
        source_types=("guide", "odd:one", "two words"),
        filters=Filters(paths=("a b/*",), statuses=("accepted",), inactive=True),
    )
    said = 'guide type:odd:one "two words" path:"a b/*" status:accepted is:inactive'
    assert only.written(query) == said
    assert only.count(query) == 6


@pytest.mark.parametrize(
    ("words", "said", "hint"),
    [
        ("pth:docs/*", "no filter is called 'pth'", "Did you mean path:? Filters: TYPE  path:GLOB"),
        ("include:a.md", "no filter is called 'include'", "Filters: TYPE"),
        ("path:", "path: names nothing", "Write: path:docs/*"),
        ("is:active", "is: does not take 'active'", "Write: is:inactive"),
        ('guide path:"my notes', 'a quote is not closed in: guide path:"my notes', "Write: path:"),
        ("guide\\", "a quote is not closed", ""),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(words: str, said: str, hint: str) -> None:
    with pytest.raises(UsageError) as refused:
        only.limited("q", words)
    assert said in refused.value.message
    assert hint in refused.value.hint
