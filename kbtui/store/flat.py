"""Flat: the rows of a small vector folder in one file beside its graph, read in place and compared one by one.

chromadb takes more than a millisecond to answer whatever a folder's size; a few thousand rows are compared in less,
exactly, and a library of small types answers without loading chromadb at all. The rows are chromadb's own.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kbtui.store.embed import Vector, Vectors

MOST_ROWS = 10_000
"""Rows of a folder up to which they are all compared: that takes less time than chromadb takes for any answer."""

KEYS_FILE, ROWS_FILE = "flat-keys.npy", "flat-rows.npy"


class Flat:
    """The rows of a finished folder, each with the key of its passage; a passage has one row or more."""

    def __init__(self, keys: NDArray[np.int64], rows: Vectors) -> None:
        self._keys, self._rows = keys, rows

    def __len__(self) -> int:
        return len(self._keys)

    @classmethod
    def opened(cls, folder: Path) -> Flat | None:
        """Return what was written into a folder, None when nothing was."""
        import numpy as np

        if not (folder / ROWS_FILE).exists():
            return None
        return cls(np.load(folder / KEYS_FILE), np.load(folder / ROWS_FILE, mmap_mode="r"))

    def write(self, folder: Path) -> None:
        """Write the rows into a folder, in the order of their keys."""
        import numpy as np

        order = np.argsort(self._keys, kind="stable")
        np.save(folder / KEYS_FILE, self._keys[order])
        np.save(folder / ROWS_FILE, np.ascontiguousarray(self._rows[order], dtype=np.float32))

    def nearest(self, vector: Vector, n: int) -> dict[int, float]:
        """Return the nearest ``n`` passages with their cosines; a passage is as near as its nearest row.

        Of equal ones at the cut all are returned.
        """
        import numpy as np

        # Not the matrix product: its last bits depend on how many threads the library gives it.
        cosines = np.einsum("ij,j->i", self._rows, vector)
        wanted = n
        while True:
            near = np.arange(len(self))
            if wanted < len(self):
                least = np.partition(cosines, len(self) - wanted)[len(self) - wanted]
                near = np.flatnonzero(cosines >= least)
            best: dict[int, float] = {}
            for key, cosine in zip(self._keys[near].tolist(), cosines[near].tolist(), strict=True):
                best[key] = max(cosine, best.get(key, cosine))
            if len(best) >= n or wanted >= len(self):
                return best
            wanted *= 2
