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

TAGS_SHOWN = 100
"""Most tag characters on one character that are shown: one passage must be able to hold them."""

QUERY_WORDS = 256
"""Different words of a query that are asked; each costs a look-up in every field of every tier."""

QUERY_CHARACTERS = 10_000
"""Characters of a query that are asked: a text without spaces is one word, and every character of it is embedded."""

BINARY_SHARE = 0.3
"""A file with more bytes than this that are no text is binary, even without a NUL."""

_CONTROLS = bytes(code for code in (*range(0x20), 0x7F) if code not in b"\t\n\f\r\x1b")
_ESCAPED = re.compile(r"[\udc80-\udcff]")
_HALVES = re.compile(r"[\ud800-\udfff]")
_OTHER_HALVES = re.compile(r"[\ud800-\udc7f\udd00-\udfff]")
"""Those that stand for no byte."""
_ASCII_QUICK = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_QUICK = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u0300-\u1fff\u200b-\u200f\u2028-\u202e\u2060-\u206f\u20d0-\u20ff\u2cef-\u2dff"
    r"\u302a-\u309a\ua66f-\uabff\ud800-\udfff\ufb1e\ufe20-\ufe2f\ufeff\uff9e\uff9f\ufff0-\ufffb"
    r"\U00010000-\U0001cfff\U0001d100-\U0001efff\U000e0000-\U000e0fff]"
)
_QUICK_SELECTOR = re.compile(r"[\ufe00-\ufe0f](?:(?<![#*0-9\xa9-\u3299\U0001f000-\U0001faff].)|(?=[\ufe00-\ufe0f]))")
"""First looks, several times as fast as the exact one: every character that it could touch, and some more."""

_NAMED = (
    r"[\x80-\x9f\u061c\u200e\u200f\u2028-\u202e\u2065-\u2069\ufff0-\ufffb\U000e0000-\U000e001f\U000e0080-\U000e00ff"
    r"\U000e01f0-\U000e0fff]"
)
"""Shown by their code: C1 controls, separators, what reorders a line, annotations, what is not assigned to be seen."""

_ATTACHED = r"[[\p{GCB=Extend}\p{GCB=SpacingMark}\p{GCB=ZWJ}]--[\U0001f3fb-\U0001f3ff]]"
"""What belongs to the character before it; the skin tones of emoji do, too, but can be seen alone."""

_SUSPECT = regex.compile(
    rf"(?V1)(?P<end>\r\n?)|(?P<run>{_ATTACHED}+)|(?P<control>[\x00-\x08\x0b-\x1f\x7f])|(?P<half>[\ud800-\udfff])"
    rf"|(?P<named>{_NAMED})|(?P<hidden>[\p{{Cf}}&&\p{{GCB=Control}}])"
)
_NO_BASE = regex.compile(r"[\p{GCB=Control}\p{GCB=CR}\p{GCB=LF}]")
_JOINABLE = regex.compile(r"(?V1)[[\p{L}\p{M}\p{Extended_Pictographic}\U0001f3fb-\U0001f3ff]--[\u200c\u200d]]")
_NO_SELECTABLE = regex.compile(rf"(?V1)[{_ATTACHED}\s]")
_JOINERS = "\u200c\u200d"
_EMOJI_SEQUENCE = re.compile(
    "[\ufe0f\U0001f1e6-\U0001f1ff\U0001f3fb-\U0001f3ff]|\u200d(?=[\u2190-\u32ff\U0001f000-\U0001faff])"
)
_NO_WIDTH_JAMO = frozenset(map(chr, range(0x1160, 0x1200)))
"""Vowels and finals of Hangul syllables: they are drawn in the cells of the initial."""
_DOTTED_CIRCLE = "\u25cc"
_WORD = re.compile(r"[^\W_]+")
_QUOTED = re.compile(r'"([^"]+)"|\u201c([^\u201d]+)\u201d')
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
    """Say whether a whole file is no text: a NUL character anywhere, or too much that is no character."""
    encoding = _marked_encoding(data)
    if encoding:
        return "\x00" in data.decode(encoding, "replace")
    if b"\x00" in data:
        return True
    strange = len(data) - len(data.translate(None, _CONTROLS))
    try:
        data.decode()
    except UnicodeDecodeError:
        strange += len(_ESCAPED.findall(data.decode("utf-8", "surrogateescape")))
    return strange > BINARY_SHARE * len(data)


def decode(data: bytes) -> Decoded:
    """Decode a file as UTF-16 by its byte order mark, else as UTF-8; never fails.

    Shape: every byte of the file is in the text, the byte order mark too, so that sizes add up; but for
    half a UTF-16 unit at the end, which is one byte and counts as two.
    """
    encoding = _marked_encoding(data)
    if encoding:
        text = data[: len(data) // 2 * 2].decode(encoding, "surrogatepass") + ("\ufffd" if len(data) % 2 else "")
        return Decoded(text=text, encoding=encoding, replaced=len(_HALVES.findall(text)) + len(data) % 2)
    try:
        return Decoded(text=data.decode("utf-8"), encoding="utf-8", replaced=0)
    except UnicodeDecodeError:
        text = data.decode("utf-8", "surrogateescape")
        return Decoded(text=text, encoding="utf-8", replaced=len(_HALVES.findall(text)))


def _marked_encoding(data: bytes) -> str:
    """Return the UTF-16 that a byte order mark announces, "" for UTF-8."""
    if data.startswith(b"\xff\xfe"):
        return "utf-16-le"
    return "utf-16-be" if data.startswith(b"\xfe\xff") else ""


def valid(text: str) -> str:
    """Return a typed text as it was meant: bytes that a locale could not read as UTF-8, what is none as U+FFFD."""
    if _HALVES.search(text) is None:
        return text
    return _OTHER_HALVES.sub("\ufffd", text).encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def safe(text: str) -> str:
    """Return the text with nothing in it that acts, reorders or hides.

    Line ends become newlines. Controls get their symbols; bidi controls, tags and separators their code in
    brackets; zero-width characters go, but joiners and variation selectors stay where they have an effect;
    a mark without a character gets a circle to sit on, and more than ``MARKS_KEPT`` on one are dropped;
    lone surrogates become U+FFFD.
    """
    if _is_clean(text):
        return text
    return _SUSPECT.sub(lambda found: _mended(found)[0], text)


def made_safe(text: str) -> int:
    """Return how many characters ``safe`` changes; a line end is no change."""
    if _is_clean(text):
        return 0
    return sum(_mended(found)[1] for found in _SUSPECT.finditer(text))


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
        if word.isascii() and word.isalpha() and word[1:].islower():
            continue  # most words: no parts to look for
        parts = _CAMEL.findall(word)
        if len(parts) > 1:
            found.update(dict.fromkeys(part.lower() for part in parts if len(part) > 1))
    telling = tuple(word for word in found if word not in STOP_WORDS)
    return telling or tuple(found)


def asked_part(query: str) -> str:
    """Return a query as far as it is asked: its first characters, before one different word too many."""
    query, found = query[:QUERY_CHARACTERS], set[str]()
    for match in _WORD.finditer(query):
        found.update(words(match.group()))
        if len(found) > QUERY_WORDS:
            return query[: match.start()]
    return query


def folded(text: str) -> str:
    """Return a text as it is looked through literally: in lower case, any white space as one blank."""
    return " ".join(text.lower().split())


def phrases(query: str) -> tuple[str, ...]:
    """Return what a query asks for literally, folded: its quoted parts, or all of it without the mark at its end."""
    quoted = tuple(folded("".join(parts)) for parts in _QUOTED.findall(query))
    whole = folded(query.replace('"', " ")).rstrip(".?!,;: ")
    return tuple(dict.fromkeys(phrase for phrase in quoted or (whole,) if phrase))


def holds(text: str, phrase: str) -> bool:
    """Return whether a folded text holds a folded phrase.

    A phrase neither begins nor ends inside of a word; where words have no space between them, it may.
    """
    at = text.find(phrase)
    while at >= 0:
        end = at + len(phrase)
        if not (_joined(text[at - 1 : at], phrase[0]) or _joined(phrase[-1], text[end : end + 1])):
            return True
        at = text.find(phrase, at + 1)
    return False


def _joined(before: str, after: str) -> bool:
    """Return whether two characters belong to one word: letters that have a case, or digits."""
    return all(char and (char.isdecimal() or char.upper() != char) for char in (before, after))


def _is_clean(text: str) -> bool:
    """Say whether a first look finds nothing; many texts are plain ASCII, and that look is the fastest."""
    if text.isascii():
        return _ASCII_QUICK.search(text) is None
    return _QUICK.search(text) is None and _QUICK_SELECTOR.search(text) is None


def _mended(found: regex.Match[str]) -> tuple[str, int]:
    """Return what stands for a suspect part of a text, and how many characters that changes."""
    part = found.group()
    match found.lastgroup:
        case "end":
            return "\n", 0
        case "run":
            return _mended_run(part, found.string[max(0, found.start() - 1) : found.start()])
        case "control":
            return "\u2421" if part == "\x7f" else chr(0x2400 + ord(part)), 1
        case "half":
            return "\ufffd", 1
        case "named":
            return _by_code(part), 1
        case _:
            return "", 1


def _mended_run(run: str, base: str) -> tuple[str, int]:
    """Return what stays of the marks, joiners and selectors on a character, and how many are changed.

    This looks at nothing but the character and what is attached to it: they are one grapheme.
    """
    before = "" if not base or _NO_BASE.match(base) else base
    out: list[str] = []
    kept = shown = changed = 0
    for char in run:
        if "\U000e0020" <= char <= "\U000e007f":
            changed += 1
            if shown < TAGS_SHOWN:
                out.append(_by_code(char))
                before = "\u27e9"
                shown += 1
        elif kept == MARKS_KEPT or not _has_effect(char, before):
            changed += 1
        else:
            if not before:
                out.append(_DOTTED_CIRCLE)
                changed += 1
            out.append(char)
            before = char
            kept += 1
    return "".join(out), changed


def _has_effect(char: str, before: str) -> bool:
    """Say whether an attached character does anything: a mark always, others only on what they change."""
    if char in _JOINERS:
        return bool(before) and _JOINABLE.match(before) is not None
    if "\ufe00" <= char <= "\ufe0f" or char >= "\U000e0100":
        return bool(before) and _NO_SELECTABLE.match(before) is None
    return True


def _by_code(char: str) -> str:
    return f"\u27e8U+{ord(char):04X}\u27e9"


def _cluster_width(cluster: str) -> int:
    """Return the cells of one grapheme: 2 for an emoji of several characters, else the sum of what is in it."""
    if len(cluster) > 1 and _EMOJI_SEQUENCE.search(cluster):
        return 2
    return sum(_char_width(char) for char in cluster)


def _char_width(char: str) -> int:
    if char in _NO_WIDTH_JAMO or char in _JOINERS or unicodedata.category(char) in ("Mn", "Me", "Mc"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
