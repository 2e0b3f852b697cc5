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

SEARCHABLE = "SELECT key, doc, ordinal FROM chunk WHERE searchable ORDER BY key"
TYPES = "SELECT doc, source_type FROM document ORDER BY doc"


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

        # The rows go from SQLite into an array as they are: taking each apart here takes three times as long.
        found = np.fromiter(connection.execute(SEARCHABLE), [("key", "i8"), ("doc", "i4"), ("ordinal", "i4")])
        keys, docs, ordinals = (np.ascontiguousarray(found[name]) for name in ("key", "doc", "ordinal"))
        typed = connection.execute(TYPES).fetchall()
        types = tuple(sorted({name for _, name in typed}))
        number_of = {name: number for number, name in enumerate(types)}
        numbers = np.array([number_of[name] for _, name in typed], np.int32)
        kinds = numbers[np.searchsorted(np.array([doc for doc, _ in typed], np.int32), docs)]
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
