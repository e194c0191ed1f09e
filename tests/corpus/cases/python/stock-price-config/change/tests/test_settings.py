import pytest

from stock.pricing import bulk_price
from stock.settings import Settings, SettingsError, load_settings, settings_path


@pytest.fixture
def ini(tmp_path):
    def write(text):
        path = tmp_path / "stock.ini"
        path.write_text(text)
        return path

    return write


def test_no_file(tmp_path):
    assert load_settings(tmp_path / "none.ini") == Settings({10: 5.0, 100: 12.0}, "EUR")


def test_everything(ini):
    settings = load_settings(ini("[bulk]\n5 = 2.5\n50 = 20\n[prices]\ncurrency = usd\n"))
    assert settings.steps == {5: 2.5, 50: 20.0}
    assert settings.currency == "USD"


def test_what_is_missing_is_default(ini):
    settings = load_settings(ini("[prices]\ncurrency = CHF\n"))
    assert settings.currency == "CHF"
    assert settings.steps == Settings().steps


@pytest.mark.parametrize("text", ["no section", "[bulk]\nmany = 3\n", "[bulk]\n5 = much\n"])
def test_bad_files(ini, text):
    path = ini(text)
    with pytest.raises(SettingsError, match="stock.ini"):
        load_settings(path)


def test_the_variable_names_the_file(ini, monkeypatch):
    path = ini("[prices]\ncurrency = SEK\n")
    monkeypatch.setenv("STOCK_SETTINGS", str(path))
    assert load_settings().currency == "SEK"


def test_without_the_variable(monkeypatch):
    monkeypatch.delenv("STOCK_SETTINGS", raising=False)
    assert str(settings_path()) == "stock.ini"


def test_defaults_are_not_shared():
    Settings().steps[1] = 50.0
    assert 1 not in Settings().steps


def test_prices_with_own_steps():
    steps = {5: 2.5, 50: 20.0}
    assert bulk_price(1.0, 4, steps) == pytest.approx(4.0)
    assert bulk_price(1.0, 40, steps) == pytest.approx(39.0)
    assert bulk_price(1.0, 50, steps) == pytest.approx(40.0)
