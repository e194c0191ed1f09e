import sys

import pytest
from shop.save import load, save

TEA = [("tea", 400, 2)]


def test_there_and_back(tmp_path):
    save(TEA, tmp_path / "basket")
    assert load(tmp_path / "basket") == TEA


@pytest.mark.skipif(sys.platform == "win32", reason="no modes of files there")
def test_nobody_else_reads_it(tmp_path):
    save(TEA, tmp_path / "basket")
    assert (tmp_path / "basket").stat().st_mode & 0o777 == 0o600
