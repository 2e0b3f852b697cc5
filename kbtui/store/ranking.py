"""Ranking: passages by their keys with a retriever's scores, as arrays: one question ranks thousands of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Keys: TypeAlias = NDArray[np.int64]
    Scores: TypeAlias = NDArray[np.float64]
    Mask: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Passages, best first, ties by key. Shape of both arrays: (passages,)."""

    keys: Keys
    scores: Scores

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[tuple[int, float]]:
        """Yield (key, score) of each."""
        return zip(self.keys.tolist(), self.scores.tolist(), strict=True)

    def first(self, n: int) -> Ranking:
        """Return the best ``n``."""
        return Ranking(self.keys[:n], self.scores[:n])

    def where(self, kept: Mask) -> Ranking:
        """Return those of them that a mask keeps."""
        return Ranking(self.keys[kept], self.scores[kept])


def ranked(keys: Keys, scores: Scores) -> Ranking:
    """Return passages in the order of a ranking."""
    import numpy as np

    order = np.lexsort((keys, -scores))
    return Ranking(keys[order], scores[order])


def merged(parts: Sequence[Ranking]) -> Ranking:
    """Return the passages of several rankings, each of which is in one of them, as one."""
    import numpy as np

    if len(parts) == 1:
        return parts[0]
    if not parts:
        return Ranking(np.empty(0, np.int64), np.empty(0, np.float64))
    return ranked(np.concatenate([part.keys for part in parts]), np.concatenate([part.scores for part in parts]))
