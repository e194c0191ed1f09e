from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Graph = dict[str, set[str]]


def circles(before: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Every group of steps that wait for each other, in the order of the plan."""
    graph = {node: {name for name in names if name in before} for node, names in before.items()}
    knot = _turned(_peeled(_turned(_peeled(graph))))
    back = _turned(knot)
    found: list[list[str]] = []
    seen: set[str] = set()
    for node in before:
        if node in knot and node not in seen:
            group = _reached(knot, node) & _reached(back, node)
            seen |= group
            if group:
                found.append([name for name in before if name in group])
    return found


def _turned(graph: Graph) -> Graph:
    turned: Graph = {node: set() for node in graph}
    for node, names in graph.items():
        for name in names:
            turned[name].add(node)
    return turned


def _peeled(graph: Graph) -> Graph:
    """What remains after taking away, again and again, all that waits for nothing."""
    rest = {node: set(names) for node, names in graph.items()}
    after = _turned(rest)
    free = [node for node, names in rest.items() if not names]
    while free:
        node = free.pop()
        del rest[node]
        for name in after[node]:
            rest[name].discard(node)
            if not rest[name]:
                free.append(name)
    return rest


def _reached(graph: Graph, start: str) -> set[str]:
    found: set[str] = set()
    queue = [start]
    while queue:
        new = graph[queue.pop()] - found
        found |= new
        queue.extend(new)
    return found
