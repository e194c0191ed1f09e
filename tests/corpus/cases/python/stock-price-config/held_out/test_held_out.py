from ask import said


def test_settings():
    code = """
import os, tempfile
from stock.pricing import bulk_price
from stock.settings import SettingsError, load_settings
path = os.path.join(tempfile.mkdtemp(), "s.ini")
print(load_settings(path).currency, bulk_price(2, 10))
open(path, "w").write("[bulk]\\n3 = 10\\n")
print(bulk_price(10, 3, load_settings(path).steps), bulk_price(10, 2, load_settings(path).steps))
open(path, "w").write("[bulk]\\nx = 10\\n")
try:
    load_settings(path)
except SettingsError as error:
    print(path in str(error))
"""
    assert said(code) == "EUR 19.0\n27.0 20.0\nTrue"
