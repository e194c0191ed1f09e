"""Makes the tables in the docs that the program itself knows: `make docs`."""  # noqa: INP001 - a script, not a package

from __future__ import annotations

import re
import sys
from pathlib import Path

from ralph.proof.experiments import EXPERIMENTS

HERE = Path(__file__).parent
PLACES = {"experiments": HERE / "reference" / "verdicts.md"}


def experiments() -> str:
    rows = [f"| {one.name} | {one.what} | {_setting(one.setting)} |" for one in EXPERIMENTS]
    return "\n".join(("| step | what is done | setting |", "| --- | --- | --- |", *rows))


def _setting(name: str) -> str:
    return f"`{name}`" if name.startswith("verification") else name


def made(text: str, name: str, table: str) -> str:
    """The text with this table in its place, between `<!-- NAME -->` and `<!-- end -->`."""
    place = re.compile(rf"(<!-- {name} -->\n).*?(\n<!-- end -->)", re.DOTALL)
    return place.sub(lambda found: f"{found[1]}{table}{found[2]}", text)


def main() -> int:
    for name, path in PLACES.items():
        path.write_text(made(path.read_text("utf-8"), name, experiments()), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
