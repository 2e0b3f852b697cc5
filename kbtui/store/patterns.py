"""Which lines of a text a pattern is found in: what `grep` does, line by line, under a deadline."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from time import monotonic

import regex

from kbtui.errors import UsageError
from kbtui.model import TextQuery
from kbtui.text import safe

Range = tuple[int, int]
"""Start and end in characters."""

_NOT_LOCAL = regex.compile(r"\(\?(?!:|P<)|\\[AZzGKNRX]|[*+?}]\+|\{[a-z]")
"""What an expression must not hold, lest it see more than its line: lookarounds, anchors of the text, and the like."""


class Lines:
    """A compiled pattern. Texts are safe texts: a newline alone ends a line."""

    def __init__(self, query: TextQuery, deadline: float) -> None:
        """Compile the pattern; ``deadline`` is of ``time.monotonic``.

        Errors: UsageError for a pattern that is empty, has several lines or is no expression.
        """
        if not query.pattern:
            raise UsageError("the pattern is empty", "It would match every line.")
        if "\n" in query.pattern or "\r" in query.pattern:
            raise UsageError("the pattern has several lines", "Lines are searched one by one.")
        self._deadline = deadline
        self._word = query.word
        self._needle = "" if query.regex or query.ignore_case else safe(query.pattern)
        self._expression = query.regex
        self._pattern = _compiled(query)
        local = query.regex and not _NOT_LOCAL.search(query.pattern)
        self._local = _compiled(query, regex.MULTILINE) if local else None

    def found(self, text: str) -> Iterator[Range]:
        """Yield every line that matches, without its end.

        Errors: TimeoutError when the deadline strikes.
        """
        if not self._expression:
            return _around(text, self._find if self._needle and not self._word else self._search)
        return self._jumping(text, self._local) if self._local else self._by_line(text)

    def matches(self, line: str) -> Iterator[Range]:
        """Yield where in a line it matches.

        Errors: TimeoutError when the deadline strikes.
        """
        for found in self._pattern.finditer(line, timeout=self._left()):
            yield found.span()

    def _find(self, text: str, start: int) -> int:
        return text.find(self._needle, start)

    def _search(self, text: str, start: int) -> int:
        if self._needle and self._needle not in text:
            return -1
        found = self._pattern.search(text, start, timeout=self._left())
        return found.start() if found else -1

    def _by_line(self, text: str) -> Iterator[Range]:
        start = 0
        for line in text.removesuffix("\n").split("\n") if text else ():
            if self._pattern.search(line, timeout=self._left()):
                yield start, start + len(line)
            start += len(line) + 1

    def _jumping(self, text: str, local: regex.Pattern[str]) -> Iterator[Range]:
        """Search all of it: no line before the leftmost match matches; one that the match leaves is asked alone."""
        end = -1
        while end + 1 < len(text):
            found = local.search(text, end + 1, timeout=self._left())
            if found is None:
                return
            start = text.rfind("\n", 0, found.start()) + 1
            end = text.find("\n", found.start())
            end = len(text) if end < 0 else end
            inside = found.end() <= end or self._pattern.search(text[start:end], timeout=self._left())
            if inside and start < len(text):
                yield start, end

    def _left(self) -> float:
        return max(self._deadline - monotonic(), 0.001)


def _around(text: str, find: Callable[[str, int], int]) -> Iterator[Range]:
    """Yield the lines around what is found; nothing that is found has a newline in it."""
    at = find(text, 0)
    while at >= 0:
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        yield text.rfind("\n", 0, at) + 1, end
        at = find(text, end + 1) if end < len(text) else -1


def _compiled(query: TextQuery, flags: int = 0) -> regex.Pattern[str]:
    pattern = query.pattern if query.regex else regex.escape(safe(query.pattern), special_only=True)
    if query.word:
        pattern = rf"(?<!\w)(?:{pattern})(?!\w)"
    if query.ignore_case:
        flags |= regex.IGNORECASE
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of sets that may come to nest and the like; what runs now counts
            if query.regex:
                regex.compile(query.pattern)  # by itself: `a)(b` becomes no expression by what stands around it
            return regex.compile(pattern, flags)
    except (regex.error, OverflowError, RecursionError) as error:
        raise UsageError(
            f"{query.pattern!r} is no regular expression: {error}", "Without --regex it is text."
        ) from None
