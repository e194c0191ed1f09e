"""As much of a makefile as it takes to see which programs a target runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct, field

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_GIVEN = re.compile(r"(?:export +)?(\w+) *(?:::?|\?)?= *(.*)")
_VARIABLE = re.compile(r"\$\((\w+)\)|\$\{(\w+)\}")
_MOST_TARGETS = 200


class Rule(Struct):
    needs: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


class Makefile(Struct):
    rules: dict[str, Rule] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)

    def behind(self, words: Iterable[str]) -> Iterator[str]:
        """What `make` with these words runs: its targets and what they need, or the first one."""
        named = [word for word in words if word in self.rules]
        waiting = named or list(self.rules)[:1]
        reached: set[str] = set()
        while waiting and len(reached) < _MOST_TARGETS:
            name = waiting.pop(0)
            rule = self.rules.get(name)
            if rule is None or name in reached:
                continue
            reached.add(name)
            waiting += rule.needs
            yield "\n".join(self._filled(line) for line in rule.lines)

    def _filled(self, line: str) -> str:
        """The line with the makefile's own variables put in, one level deep."""
        return _VARIABLE.sub(lambda found: self.values.get(found[1] or found[2], ""), line)


def parse(text: str) -> Makefile:
    """One pass over the lines: the file may be anybody's."""
    made = Makefile()
    current: list[Rule] = []
    for line in text.replace("\\\n", " ").split("\n"):
        if line.startswith("\t"):
            for rule in current:
                rule.lines.append(line[1:])
        elif found := _GIVEN.fullmatch(line):
            made.values[found[1]] = found[2]
        elif ":" in line and line[0] not in "# .":
            current = _opened(made, line)
        elif line.strip():
            current = []
    return made


def _opened(made: Makefile, line: str) -> list[Rule]:
    names, _, rest = line.partition(":")
    needs, _, here = rest.lstrip(":").partition(";")
    rules = [made.rules.setdefault(name, Rule()) for name in names.split()[:_MOST_TARGETS]]
    for rule in rules:
        rule.needs += needs.split()[:_MOST_TARGETS]
        rule.lines += [here] if here else []
    return rules
