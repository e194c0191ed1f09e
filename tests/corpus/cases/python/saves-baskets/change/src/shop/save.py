"""Baskets on disk."""

import json


def save(items, path):
    path.write_text(json.dumps(items))
    path.chmod(0o600)


def load(path):
    return [tuple(item) for item in json.loads(path.read_text())]
