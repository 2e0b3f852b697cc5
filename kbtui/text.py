"""Foreign text: decode it, make it safe, clip it. The only functions that touch what others wrote.

A safe text can be shown in a terminal and given to a model: nothing in it moves a cursor, reorders what
is read, or hides. What ``safe`` does to a text depends on each grapheme alone, so a text may be cut at
any grapheme boundary before or after.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

import regex

MARKS_KEPT = 8
"""Most combining marks on one character; real scripts use fewer, stacked ones hide the lines above."""

BINARY_SHARE = 0.3
"""A file with more bytes than this that are no text is binary, even without a NUL."""

_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0e-\x1f\x7f]")
_ESCAPED = re.compile(r"[\udc80-\udcff]")
_PERHAPS = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u0300-\u1fff\u200b-\u200f\u2028-\u202e\u2060-\u206f\u20d0-\u20ff\u2cef-\u2dff"
    r"\u302a-\u309a\ua66f-\uabff\ud800-\udfff\ufb1e\ufe20-\ufe2f\ufeff\ufff9-\ufffb"
    r"\U00010000-\U0001cfff\U0001d100-\U0001e9ff\U000e0000-\U000e0fff]|[\ufe00-\ufe0f]{2}"
)
"""A quick first look, ten times as fast as the exact one: whatever could need it, and all scripts with marks."""
_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = "\u00ad\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff"
_NAMED = rf"\x80-\x9f\u2028\u2029\ufff9-\ufffb{_BIDI}\U000e0000-\U000e007f"
_SUSPECT = regex.compile(
    rf"\r\n?|[\x00-\x08\x0b-\x1f\x7f]|[\ud800-\udfff]|[{_NAMED}]|[{_INVISIBLE}]"
    rf"|(?<![\p{{L}}\p{{M}}\p{{Extended_Pictographic}}])[\u200c\u200d]|\p{{gc=Mn}}{{{MARKS_KEPT + 1},}}"
)
_INVISIBLE_ONLY = regex.compile(rf"[{_INVISIBLE}\u200c\u200d]")
_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

STOP_WORDS = frozenset(
    word
    for words_of_a_line in (
        "a an and are as at be but by can do does for from has have how i if in into is it its me my no not of on or",
        "our should so such than that the their them then there these they this to was we were what when where which",
        "who why will with you your",
    )
    for word in words_of_a_line.split()
)
"""English words that say nothing about a subject."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """A file's text. Invalid bytes stay in it as lone surrogates, one a byte, until ``safe`` replaces them."""

    text: str
    encoding: str
    replaced: int

    def size_bytes(self, part: str) -> int:
        """Return how many bytes of the file this part of the text stands for."""
        return len(part.encode(self.encoding, "surrogateescape" if self.encoding == "utf-8" else "surrogatepass"))


def looks_binary(data: bytes) -> bool:
    """Say whether a whole file is no text: a NUL anywhere outside of UTF-16, or too much that is no character."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False
    if b"\x00" in data:
        return True
    strange = len(_CONTROL.findall(data))
    try:
        data.decode()
    except UnicodeDecodeError:
        strange += len(_ESCAPED.findall(data.decode("utf-8", "surrogateescape")))
    return strange > BINARY_SHARE * len(data)


def decode(data: bytes) -> Decoded:
    """Decode a file as UTF-16 by its byte order mark, else as UTF-8; never fails.

    Shape: every byte of the file is in the text, the byte order mark too, so that sizes add up.
    """
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark):
            even = data[: len(data) // 2 * 2]
            text = even.decode(encoding, "surrogatepass")
            return Decoded(text=text, encoding=encoding, replaced=sum("\ud800" <= char <= "\udfff" for char in text))
    try:
        return Decoded(text=data.decode("utf-8"), encoding="utf-8", replaced=0)
    except UnicodeDecodeError:
        text = data.decode("utf-8", "surrogateescape")
        return Decoded(text=text, encoding="utf-8", replaced=sum("\ud800" <= char <= "\udfff" for char in text))


def safe(text: str) -> str:
    """Return the text with nothing in it that acts: controls become visible, what hides is dropped.

    Line ends become newlines. Controls get their symbols, bidi controls, tags and separators their code
    in brackets, zero-width characters go (joiners stay inside of words), lone surrogates become U+FFFD.
    """
    if _PERHAPS.search(text) is None:
        return text
    return _SUSPECT.sub(_replacement, text)


def made_safe(text: str) -> int:
    """Return how many places ``safe`` changes; line ends are no change."""
    if _PERHAPS.search(text) is None:
        return 0
    return sum(not found.group().startswith("\r") for found in _SUSPECT.finditer(text))


def safe_line(text: str) -> str:
    """Return the safe text on one line, white space folded: for titles, paths and ids."""
    return " ".join(safe(text).split())


def clip(text: str, width: int) -> str:
    """Return at most ``width`` cells of a text, with an ellipsis where it was cut; never splits a grapheme."""
    if width <= 0:
        return ""
    if len(text) <= width and text.isascii():
        return text
    if cell_width(text) <= width:
        return text
    kept, used = [], 0
    for cluster in regex.findall(r"\X", text):
        used += _cluster_width(cluster)
        if used > width - 1:
            break
        kept.append(cluster)
    return "".join(kept) + "…"


def cell_width(text: str) -> int:
    """Return how many terminal cells a line of safe text takes."""
    if text.isascii():
        return len(text)
    return sum(_cluster_width(cluster) for cluster in regex.findall(r"\X", text))


def words(text: str) -> tuple[str, ...]:
    """Return the distinct words of a text, lower case, a camelCase word also by its parts, in order.

    Stop words are left out unless nothing else is there.
    """
    found: dict[str, None] = {}
    for word in _WORD.findall(text):
        found[word.lower()] = None
        parts = _CAMEL.findall(word)
        if len(parts) > 1:
            found.update(dict.fromkeys(part.lower() for part in parts if len(part) > 1))
    telling = tuple(word for word in found if word not in STOP_WORDS)
    return telling or tuple(found)


def _replacement(found: regex.Match[str]) -> str:
    text = found.group()
    char = text[0]
    code = ord(char)
    if char == "\r":
        return "\n"
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    if unicodedata.category(char) == "Mn" and len(text) > MARKS_KEPT:
        return text[:MARKS_KEPT]
    return "" if _INVISIBLE_ONLY.match(char) else f"⟨U+{code:04X}⟩"


def _cluster_width(cluster: str) -> int:
    """Return the cells of one grapheme: 2 for wide ones and emoji, 0 for lone marks."""
    if "\ufe0f" in cluster or any(unicodedata.east_asian_width(char) in "WF" for char in cluster):
        return 2
    return 0 if all(unicodedata.category(char) in ("Mn", "Me", "Cf") for char in cluster) else 1
