"""Writes the report."""

from collections import Counter


def render(hits):
    """A line for each path: hits, bytes, path."""
    count = Counter(hit.path for hit in hits)
    size = Counter()
    for hit in hits:
        size[hit.path] += hit.size
    return "\n".join(f"{n:>5} {size[path]:>8} {path}" for path, n in count.most_common())
