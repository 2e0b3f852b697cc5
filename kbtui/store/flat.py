"""Flat: the rows of a small vector folder in one file beside its graph, read in place and compared one by one.

chromadb takes more than a millisecond to answer whatever a folder's size; a few thousand rows are compared in less,
exactly, and a library of small types answers without loading chromadb at all. The rows are chromadb's own.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kbtui.store.ranking import Ranking, ranked

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kbtui.store.embed import Vector, Vectors

MOST_ROWS = 10_000
"""Rows of a folder up to which they are all compared: that takes less time than chromadb takes for any answer."""

KEYS_FILE, ROWS_FILE = "flat-keys.npy", "flat-rows.npy"


class Flat:
    """The rows of a finished folder, in the order of the keys of their passages; a passage has one row or more."""

    def __init__(self, keys: NDArray[np.int64], rows: Vectors) -> None:
        import numpy as np

        self._rows = rows
        self._keys, self._starts = np.unique(keys, return_index=True)

    def __len__(self) -> int:
        return len(self._rows)

    @classmethod
    def opened(cls, folder: Path) -> Flat | None:
        """Return what was written into a folder, None when nothing was."""
        import numpy as np

        if not (folder / ROWS_FILE).exists():
            return None
        return cls(np.load(folder / KEYS_FILE), np.load(folder / ROWS_FILE, mmap_mode="r"))

    @staticmethod
    def write(folder: Path, keys: NDArray[np.int64], rows: Vectors) -> None:
        """Write rows into a folder, in the order of the keys of their passages."""
        import numpy as np

        order = np.argsort(keys, kind="stable")
        np.save(folder / KEYS_FILE, keys[order])
        np.save(folder / ROWS_FILE, np.ascontiguousarray(rows[order], dtype=np.float32))

    def nearest(self, vector: Vector, n: int) -> Ranking:
        """Return the nearest ``n`` passages by their cosines; a passage is as near as its nearest row.

        Of equal ones at the cut all are returned.
        """
        import numpy as np

        # Not the matrix product: its last bits depend on how many threads the library gives it.
        cosines = np.einsum("ij,j->i", self._rows, vector)
        if len(self._keys) < len(cosines):
            cosines = np.maximum.reduceat(cosines, self._starts)
        near = np.arange(len(cosines))
        if n < len(cosines):
            least = np.partition(cosines, len(cosines) - n)[len(cosines) - n]
            near = np.flatnonzero(cosines >= least)
        return ranked(self._keys[near], cosines[near].astype(np.float64))
