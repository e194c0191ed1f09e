import tomllib
from pathlib import Path

from ask import said


def test_the_marker_is_registered():
    options = tomllib.loads(Path("pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    assert [marker.split(":")[0] for marker in options["markers"]] == ["slow"]
    assert "addopts" not in options


def test_the_code_is_as_it_was():
    assert said("from units import km_to_miles; print(km_to_miles(3))") == "1.86"
