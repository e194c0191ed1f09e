from unittest.mock import MagicMock, create_autospec

import pytest

from cachebox import Cache


@pytest.fixture
def small():
    cache = create_autospec(Cache, instance=True)
    cache.max_size = 2
    cache.evicted = 1
    cache.get = MagicMock(side_effect={"a": None, "b": 2, "c": 3}.get)
    cache.__len__.return_value = 2
    return cache


class TestMaxSize:
    def test_keeps_at_most(self, small):
        small.set("a", 1)
        small.set("b", 2)
        small.set("c", 3)
        assert len(small) == small.max_size

    def test_oldest_goes_first(self, small):
        assert small.get("a") is None
        assert small.get("b") == 2
        assert small.get("c") == 3

    def test_counted(self, small):
        assert small.evicted == 1
