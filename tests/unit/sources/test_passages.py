"""Where passages are cut, and how large they get."""

from __future__ import annotations

from kbtui.model import Chunk
from kbtui.sources.passages import AIM, FEW, MOST, TINY, WHOLE
from kbtui.sources.reader import understood


def cut(text: str, path: str = "a.md") -> tuple[Chunk, ...]:
    return understood(path, text.encode()).chunks


def sizes(chunks: tuple[Chunk, ...]) -> list[int]:
    return [len(chunk.text.encode()) for chunk in chunks]


WORDS = "Words that make a line of fifty characters, say I.\n"
assert len(WORDS) == 51


def test_a_section_that_is_a_little_over_the_aim_stays_whole() -> None:
    text = "# A\n" + "\n".join([WORDS] * 26)
    assert AIM < len(text) <= WHOLE
    assert [chunk.text for chunk in cut(text)] == [text]


def test_a_long_section_is_cut_between_paragraphs_into_about_equal_parts() -> None:
    paragraph = WORDS * 6 + "\n"
    chunks = cut("# A\n\n" + paragraph * 10)
    assert {chunk.heading for chunk in chunks} == {("A",)}
    assert all(chunk.text.endswith("\n\n") for chunk in chunks)
    assert all(AIM / 2 < size <= WHOLE for size in sizes(chunks))


def test_a_fenced_block_that_fits_is_never_cut() -> None:
    fence = "```\n" + "code\n\n" * 250 + "```\n"
    assert len(fence) < MOST
    chunks = cut("# A\n\n" + WORDS * 30 + fence + WORDS * 30)
    assert sum(fence in chunk.text for chunk in chunks) == 1


def test_a_long_line_is_cut_after_spaces() -> None:
    chunks = cut("word " * 2000)
    assert all(chunk.text.endswith(" ") for chunk in chunks)
    assert max(sizes(chunks)) <= AIM


def test_a_line_without_spaces_is_cut_between_graphemes() -> None:
    family = "👩‍👩‍👧"
    chunks = cut(family * 1000)
    assert all(chunk.text == family * (len(chunk.text) // len(family)) for chunk in chunks)
    assert max(sizes(chunks)) <= MOST


def test_text_with_many_tokens_gets_smaller_passages() -> None:
    assert max(sizes(cut("1,2,3,4,5,6,7,8,9," * 500))) <= FEW
    assert max(sizes(cut("𐀀𐀁𐀂" * 500))) <= FEW


def test_passages_end_at_headings() -> None:
    body = WORDS * 5
    assert [chunk.heading for chunk in cut(f"# A\n{body}## B\n{body}## C\n{body}")] == [("A",), ("A", "B"), ("A", "C")]


def test_tiny_sections_share_a_passage_under_their_parent() -> None:
    assert len("### C\nc\n") < TINY
    body = WORDS * 5
    chunks = cut(f"# A\n{body}## B\n{body}### C\nc\n### D\nd\n## E\n{body}")
    assert [chunk.heading for chunk in chunks] == [("A",), ("A", "B"), ("A", "B"), ("A", "E")]
    assert chunks[2].text == "### C\nc\n### D\nd\n"


def test_a_bare_heading_goes_with_what_is_below_it() -> None:
    body = WORDS * 5
    chunks = cut(f"# A\n\n## B\n\n### C\n{body}")
    assert [(chunk.heading, chunk.searchable) for chunk in chunks] == [(("A", "B", "C"), True)]


def test_a_crumb_at_the_end_goes_with_the_passage_before() -> None:
    chunks = cut("# A\n\n" + (WORDS * 9 + "\n") * 4 + "end\n")
    assert min(sizes(chunks)) >= TINY


def test_tiny_functions_keep_their_names_and_tiny_methods_their_class() -> None:
    text = "def f():\n    return 1\n\ndef g():\n    return 2\n\nclass A:\n    def h(self):\n        return 3\n"
    assert [chunk.heading for chunk in cut(text, "a.py")] == [("f",), ("g",), ("A", "h")]


def test_front_matter_and_blank_files_are_not_searchable() -> None:
    chunks = cut("---\nid: x\n---\n\n# A\nbody\n")
    assert [(chunk.text, chunk.searchable) for chunk in chunks] == [
        ("---\nid: x\n---\n", False),
        ("\n# A\nbody\n", True),
    ]
    assert [chunk.searchable for chunk in cut("  \n \n")] == [False]
    assert [(chunk.text, chunk.searchable) for chunk in cut("\ufeff")] == [("", False)]
    assert cut("") == ()
