import json
from pathlib import Path

import pytest
from inventory.stock import Stock

CASES = json.loads((Path(__file__).parent / "data" / "reservations.json").read_text())


@pytest.mark.parametrize("case", CASES)
def test_reservations(case):
    stock = Stock({"tea": case["have"]})
    assert stock.reserve("tea", case["want"]) is case["done"]
    assert stock.counts["tea"] == case["left"]


def test_adding_counts_up(shelf):
    shelf.add("tea", 4)
    assert shelf.counts["tea"] == 7
