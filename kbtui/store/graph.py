"""The networkx door: the neighbourhood of a document, and a map of it.

Relations live in the catalogue; only what is around one document ever becomes a graph.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from kbtui.errors import StoreError
from kbtui.model import Direction, Document, Edge, EgoMap, MapNode, Neighbour, Neighbourhood
from kbtui.store.catalog import Catalog

MAPPED = 40
"""Most documents on a map."""
MAPPED_ROOMY = 24
"""Documents two relations away are on it only up to this many in all."""
MAPPED_RELATIONS = 200
"""Most relations of one document, in each direction, that a map looks at."""
_SEED = 7  # of the layout, so that a document always has the same map

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


def ego_map(catalog: Catalog, doc_id: str) -> EgoMap:
    """Return a document and what is nearest around it, laid out so that what is related lies together.

    Errors: StoreError for a document that is not there.
    Source: Fruchterman, Reingold, "Graph Drawing by Force-directed Placement", 1991.
    """
    import networkx as nx

    around, _ = _around(catalog, doc_id, 2, MAPPED_RELATIONS)
    layers = [sorted(layer) for layer in nx.bfs_layers(around.to_undirected(as_view=True), doc_id)][:3]
    rows = {row.document.doc_id: row for row in _rows(catalog, layers)}
    if doc_id not in rows:
        raise StoreError(f"no document {doc_id!r} in this generation")
    near = sorted(rows.values(), key=lambda row: (row.depth, row.document.doc_id))
    shown = [row for at, row in enumerate(near[:MAPPED]) if row.depth < 2 or at < MAPPED_ROOMY]
    ids = {row.document.doc_id for row in shown}
    edges = tuple(
        edge
        for edge in catalog.edges(sorted(ids), MAPPED_RELATIONS)
        if edge.source in ids and edge.target in ids and edge.source != edge.target
    )
    return EgoMap(root=doc_id, nodes=_laid_out(shown, edges), edges=edges, more=len(near) - len(shown))


def _rows(catalog: Catalog, layers: list[list[str]]) -> Iterator[MapNode]:
    """Yield the documents of the layers with their distance, not laid out yet."""
    for depth, layer in enumerate(layers):
        for document in catalog.documents(layer):
            yield MapNode(document=document, depth=depth, x=0.5, y=0.5)


def _laid_out(nodes: list[MapNode], edges: tuple[Edge, ...]) -> tuple[MapNode, ...]:
    """Return the documents in their places, those at the edges of the map at 0 and 1."""
    import networkx as nx

    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(node.document.doc_id for node in nodes)
    graph.add_edges_from((edge.source, edge.target) for edge in edges)
    rings = [[node.document.doc_id for node in nodes if node.depth == depth] for depth in range(3)]
    start = nx.shell_layout(graph, [ring for ring in rings if ring])
    places = nx.spring_layout(graph, pos=start, fixed=rings[0], seed=_SEED, iterations=80)

    def share(document: Document, axis: int) -> float:
        along = [float(place[axis]) for place in places.values()]
        low, high = min(along), max(along)
        return (float(places[document.doc_id][axis]) - low) / (high - low) if high > low else 0.5

    return tuple(replace(node, x=share(node.document, 0), y=share(node.document, 1)) for node in nodes)


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
