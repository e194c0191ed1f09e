from shop.__main__ import main
from shop.price import Price


def test_equal_prices():
    assert Price(100, "EUR") == Price(100, "EUR")
    assert Price(100, "EUR") != Price(100, "GBP")
    assert Price(100, "EUR") != 100


def test_the_currency_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("SHOP_CURRENCY", "GBP")
    assert str(Price(1250)) == "12.50 GBP"


def test_the_command(capsys, monkeypatch):
    monkeypatch.delenv("SHOP_CURRENCY", raising=False)
    assert main(["5"]) == 0
    assert capsys.readouterr().out == "0.05 EUR\n"
    assert main([]) == 2
