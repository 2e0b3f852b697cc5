"""Places: which document each passage is of, its place in it, and its type; looked up for thousands at once.

Read from the catalogue once: asking it row by row took longer than all else that a retriever's hits need.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kbtui.store.ranking import Keys

    Rows: TypeAlias = NDArray[np.intp]
    Numbers: TypeAlias = NDArray[np.int32]

SEARCHABLE = "SELECT c.key, c.doc, c.ordinal, d.source_type FROM chunk c JOIN document d USING (doc) WHERE c.searchable"


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Every passage that retrievers can match, in order of keys; documents by number, types by place in ``types``.

    Shape of the arrays: (passages,).
    """

    keys: Keys
    docs: Numbers
    ordinals: Numbers
    kinds: Numbers
    types: tuple[str, ...]

    @classmethod
    def read(cls, connection: sqlite3.Connection) -> Places:
        """Return the places that a catalogue has; 20 bytes a passage."""
        import numpy as np

        types = tuple(name for (name,) in connection.execute("SELECT source_type FROM type_total ORDER BY source_type"))
        place_of = {name: place for place, name in enumerate(types)}
        rows = ((key, doc, ordinal, place_of[name]) for key, doc, ordinal, name in connection.execute(SEARCHABLE))
        found = np.fromiter(rows, [("key", "i8"), ("doc", "i4"), ("ordinal", "i4"), ("kind", "i4")])
        found.sort(order="key")
        keys, docs, ordinals, kinds = (np.ascontiguousarray(found[name]) for name in ("key", "doc", "ordinal", "kind"))
        return cls(keys, docs, ordinals, kinds, types)

    def rows(self, keys: Keys) -> Rows:
        """Return the row of each key here, -1 for one that the catalogue does not know (a stale one)."""
        import numpy as np

        if not len(self.keys):
            return np.full(len(keys), -1, np.intp)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[at] == keys, at, -1)

    def kinds_of(self, keys: Keys) -> Numbers:
        """Return the number of each passage's type, -1 for one that the catalogue does not know."""
        import numpy as np

        rows = self.rows(keys)
        kinds = np.full(len(keys), -1, np.int32)
        kinds[rows >= 0] = self.kinds[rows[rows >= 0]]
        return kinds

    def kinds_named(self, source_types: Iterable[str]) -> list[int]:
        """Return the numbers of types; one that no document has has none."""
        return [self.types.index(name) for name in source_types if name in self.types]
