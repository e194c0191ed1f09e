"""Cruelty is for what is flushed as well."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def flushed(durable: None) -> None:
    """Nothing here leaves the disk out."""
