"""Remembers what the service said."""

import atexit
import json
import os
import time
from pathlib import Path


class Cache:
    """A fetch that asks another one only for what it does not know or knows for too long."""

    def __init__(self, fetch, seconds, path=None, clock=time.time):
        self._fetch = fetch
        self._seconds = seconds
        self._clock = clock
        self._path = Path(path) if path else None
        self._known = self._load()
        if self._path:
            atexit.register(self.save)

    def __call__(self, path):
        now = self._clock()
        if path in self._known:
            since, answer = self._known[path]
            if 0 <= now - since <= self._seconds:
                return answer
        answer = self._fetch(path)
        self._known[path] = (now, answer)
        return answer

    def _load(self):
        if self._path is None:
            return {}
        try:
            stored = json.loads(self._path.read_text(encoding="utf-8"))
            return {path: (float(since), str(answer)) for path, (since, answer) in stored.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}  # It is only a cache: begin again.

    def save(self):
        if self._path is None:
            return
        draft = self._path.with_name(self._path.name + ".new")
        draft.write_text(json.dumps(self._known), encoding="utf-8")
        os.replace(draft, self._path)
