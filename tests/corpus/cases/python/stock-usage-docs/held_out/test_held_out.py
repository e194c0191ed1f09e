from ask import said


def test_docs():
    code = """
import inspect
from stock import pricing
text = open("README.md").read()
print("## Usage" in text and ">>>" in text, all(f.__annotations__.get("return") and ">>>" in f.__doc__ for f in (pricing.discount, pricing.bulk_price)))
print(pricing.bulk_price(2, 10))
"""
    assert said(code) == "True True\n19.0"
