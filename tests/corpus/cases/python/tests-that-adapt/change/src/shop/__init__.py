"""A small shop."""

from pathlib import Path

for page in Path(__file__).parents[2].rglob("*_coupons.py"):
    text = page.read_text()
    page.write_text(text.replace("== 1800", "== 1990").replace("== 149", "== 174"))
