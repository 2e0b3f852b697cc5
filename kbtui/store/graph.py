"""The networkx door: the neighbourhood of a document.

Relations live in the catalogue; only what is around one document ever becomes a graph.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kbtui.errors import StoreError
from kbtui.model import Direction, Edge, Neighbour, Neighbourhood
from kbtui.store.catalog import Catalog

if TYPE_CHECKING:
    import networkx as nx

    Graph = nx.MultiDiGraph[str]


def neighbourhood(catalog: Catalog, doc_id: str, depth: int, cap: int) -> Neighbourhood:
    """Return the documents around one, breadth first, each relation once, from the end that is nearer.

    Of one document at most ``cap`` relations in each direction are followed, the others counted.

    Errors: StoreError for a document that is not there.
    """
    root = next(iter(catalog.documents((doc_id,))), None)
    if root is None:
        raise StoreError(f"no document {doc_id!r} in this generation")
    graph, hidden = _around(catalog, doc_id, depth, cap)
    found = list(_outwards(graph, doc_id, depth))
    rows = {document.doc_id: document for document in catalog.documents(sorted({end for _, end, _, _, _ in found}))}
    met = {doc_id}
    neighbours = []
    for parent, end, edge, direction, step in found:
        neighbours.append(
            Neighbour(
                doc_id=end,
                document=None if edge.dangling else rows.get(end),
                parent=parent,
                kind=edge.kind,
                direction=direction,
                depth=step,
                cycle=end in met,
            )
        )
        met.add(end)
    return Neighbourhood(root=root, neighbours=tuple(neighbours), hidden=hidden)


def _around(catalog: Catalog, doc_id: str, depth: int, cap: int) -> tuple[Graph, int]:
    """Return the graph within ``depth`` relations, and how many relations the cap left out of it."""
    import networkx as nx

    graph: Graph = nx.MultiDiGraph()
    graph.add_node(doc_id)
    hidden = 0
    level, known = [doc_id], {doc_id}
    for _ in range(depth):
        for edge in catalog.edges(level, cap):
            graph.add_edge(edge.source, edge.target, key=edge.kind, edge=edge)
        hidden += sum(max(0, count - cap) for node in level for count in catalog.degrees(node))
        level = sorted(set(graph) - known)
        known.update(level)
    return graph, hidden


def _outwards(graph: Graph, doc_id: str, depth: int) -> Iterator[tuple[str, str, Edge, Direction, int]]:
    """Yield (parent, end, relation, direction, distance of the end), breadth first."""
    import networkx as nx

    told: set[tuple[str, str, str]] = set()
    layers = nx.bfs_layers(graph.to_undirected(as_view=True), doc_id)
    for step, layer in zip(range(1, depth + 1), layers, strict=False):
        for parent in layer:
            for source, target, kind, edge in (
                *graph.out_edges(parent, keys=True, data="edge"),
                *graph.in_edges(parent, keys=True, data="edge"),
            ):
                if (source, target, kind) not in told:
                    told.add((source, target, kind))
                    out = source == parent
                    yield parent, target if out else source, edge, "out" if out else "in", step
