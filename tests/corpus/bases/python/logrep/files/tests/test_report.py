import pytest
from helpers import GOLDEN, normalise, run


@pytest.mark.parametrize("log", sorted(GOLDEN.glob("*.log")), ids=lambda log: log.stem)
def test_report(log):
    expected = log.with_suffix(".expected").read_text(encoding="utf-8")
    assert normalise(run(log)) == normalise(expected)
