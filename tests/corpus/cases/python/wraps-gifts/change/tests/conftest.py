import pytest


@pytest.fixture
def basket():
    return [("tea", 400, 2), ("cup", 1200, 1)]
