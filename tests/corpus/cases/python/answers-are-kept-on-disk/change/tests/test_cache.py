import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock, patch

import pytest

from weather import Cache, Client

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def register():
    """Nothing of a test is written when pytest ends."""
    with patch("weather.cache.atexit") as atexit:
        yield atexit.register


@pytest.fixture
def clock():
    return Mock(return_value=1000.0)


def test_it_asks_once(clock):
    fetch = Mock(return_value="a")
    cache = Cache(fetch, 60, clock=clock)
    assert [cache("/x"), cache("/x"), cache("/y")] == ["a", "a", "a"]
    assert [call.args[0] for call in fetch.call_args_list] == ["/x", "/y"]


@pytest.mark.parametrize(("later", "answer"), [(60, "old"), (61, "new"), (-1, "new")])
def test_answers_age(clock, later, answer):
    cache = Cache(Mock(side_effect=["old", "new"]), 60, clock=clock)
    cache("/x")
    clock.return_value += later
    assert cache("/x") == answer


def test_errors_are_not_kept(clock):
    cache = Cache(Mock(side_effect=[OSError, "a"]), 60, clock=clock)
    with pytest.raises(OSError):
        cache("/x")
    assert cache("/x") == "a"


def test_it_survives(tmp_path, clock, register):
    first = Cache(Mock(return_value="a"), 60, tmp_path / "kept.json", clock)
    first("/x")
    register.assert_called_once_with(first.save)
    first.save()
    fetch = Mock()
    assert Cache(fetch, 60, tmp_path / "kept.json", clock)("/x") == "a"
    fetch.assert_not_called()


@pytest.mark.parametrize("text", ["", "{", "[1]", "3", '{"/x": 1}', '{"/x": ["a", "b"]}'])
def test_a_broken_file_is_an_empty_cache(tmp_path, clock, text):
    path = tmp_path / "kept.json"
    path.write_text(text)
    assert Cache(Mock(return_value="new"), 60, path, clock)("/x") == "new"


def test_without_a_file_nothing_is_registered(register):
    Cache(Mock(), 60).save()
    register.assert_not_called()


def test_it_is_written_at_the_end(tmp_path):
    code = f"from weather import Cache; Cache(lambda path: path.upper(), 60, {str(tmp_path / 'kept.json')!r})('/x')"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
    assert '"/X"' in (tmp_path / "kept.json").read_text()


def test_with_a_client(clock):
    fetch = Mock(return_value='{"kelvin": 293.15}')
    client = Client(Cache(fetch, 60, clock=clock))
    assert [client.temperature("Bern"), client.temperature("Bern")] == [20.0, 20.0]
    fetch.assert_called_once()
