from __future__ import annotations

import sys


def new_id() -> str:
    """A UUIDv7: ids sort by time."""
    if sys.version_info >= (3, 14):
        from uuid import uuid7
    else:
        from uuid_utils import uuid7
    return str(uuid7())
