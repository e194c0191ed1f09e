import doctest
from pathlib import Path

import stock.pricing

README = Path(__file__).parent.parent / "README.md"


def test_examples_of_the_readme():
    result = doctest.testfile(str(README), module_relative=False)
    assert result.attempted > 0
    assert result.failed == 0


def test_examples_of_pricing():
    result = doctest.testmod(stock.pricing)
    assert result.attempted >= 3
    assert result.failed == 0
