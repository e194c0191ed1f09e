"""Phone numbers."""

import re

_SHAPE = re.compile(r"\+?[\d ()/.-]+")


def normalise(text):
    """`+` and digits only; numbers without a country are Austrian."""
    text = text.strip()
    if not text:
        return ""
    if not _SHAPE.fullmatch(text):
        raise ValueError(f"not a phone number: {text!r}")
    digits = re.sub(r"\D", "", text)
    if text.startswith("+"):
        return "+" + digits
    if digits.startswith("00"):
        return "+" + digits[2:]
    return "+43" + digits.removeprefix("0")
