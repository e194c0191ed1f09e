"""What can be told of any language that has a grammar.

A language names its kinds of nodes; what is done with them is the same everywhere.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from ralph.proof.languages.expectation import Expectation, no_part, other_text
from ralph.proof.languages.language import Language
from ralph.proof.languages.trees import LENGTH, Function, parsed_by, walk

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from tree_sitter import Node

    from ralph.proof.languages.expectation import Edit
    from ralph.proof.languages.shape import Part
    from ralph.proof.languages.trees import Parsed, TestCode

_LOOKS = re.compile(
    r"assert|expect|should|check|verify|ensure|must|compare|raises|throws|rejects|fail|error"
    r"|snapshot|match|equal",
    re.IGNORECASE,
)
"""What something is called that looks at a result."""


class TreeLanguage(Language, ABC):
    """A language with a grammar."""

    name: ClassVar[str]
    endings: ClassVar[tuple[str, ...]]
    grammar: ClassVar[tuple[str, str]]
    """The module and its function."""
    functions_are: ClassVar[frozenset[str]]
    definitions_are: ClassVar[frozenset[str]]
    """What has a name and holds lines: functions, classes, types, variables."""
    strings_are: ClassVar[frozenset[str]]
    numbers_are: ClassVar[frozenset[str]]
    words: ClassVar[Mapping[str, str]] = {}
    """Literals that are words, and what may stand in their place."""
    calls_are: ClassVar[frozenset[str]] = frozenset(("call_expression",))
    types_are: ClassVar[frozenset[str]] = frozenset()
    """What says something about types alone."""
    speaking: ClassVar[re.Pattern[str]]
    """How tests speak, whatever they are about."""

    # what each language has to say of its own

    @abstractmethod
    def tests(self, parsed: Parsed) -> Iterable[TestCode]:
        """The tests of a file, in their order."""

    @abstractmethod
    def expected(self, parsed: Parsed, test: TestCode) -> Iterator[Edit]:
        """Other values for what a test compares with, one for each comparison."""

    @abstractmethod
    def silence(self, parsed: Parsed, test: TestCode) -> Edit | None:
        """What keeps a test from being run."""

    @abstractmethod
    def assertions(self, parsed: Parsed, node: Node) -> Iterable[Node]:
        """What compares something, or expects an error."""

    @abstractmethod
    def rest(self, parsed: Parsed, words: Collection[str]) -> Iterable[str]:
        """What is outside of functions and could be seen by tests that hold these words."""

    @abstractmethod
    def emptied(self, parsed: Parsed, function: Function, value: str) -> Edit:
        """Let it return at once."""

    @abstractmethod
    def is_reached_by_calls(self, parsed: Parsed, function: Function) -> bool:
        """Not by what decorates it, by syntax, or when its file is loaded."""

    def doubles(self, tests: str) -> Collection[str]:
        """The names in whose place tests put something else."""
        del tests
        return ()

    # what follows from that

    def parse(self, text: str) -> Parsed | None:
        """None for what cannot be understood."""
        if len(text) > LENGTH:
            return None
        parsed = parsed_by(self.grammar, text)
        return None if parsed.root.has_error else parsed

    def functions(self, parsed: Parsed) -> list[Function]:
        """The outermost ones."""
        found: list[Function] = []
        for node in walk(parsed.root, lambda one: one.type not in self.functions_are):
            body = node.child_by_field_name("body") if node.type in self.functions_are else None
            if body is not None:
                found.append(Function(self.called(parsed, node), node, body))
        return found

    def called(self, parsed: Parsed, node: Node) -> str:
        """What a function or a class is called, by itself or by what it is given to."""
        name = node.child_by_field_name("name")
        return parsed.of(name) if name is not None else ""

    def _test(self, name: str, parsed: Parsed | None) -> TestCode | None:
        if parsed is None:
            return None
        every = _by_name(self, parsed)
        if name in every:
            return every[name]
        return next((one for known, one in every.items() if self.fits(name, known)), None)

    def fits(self, name: str, test: str) -> bool:
        return name == test

    def source_of(self, test: str, text: str) -> str:
        parsed = self.parse(text)
        found = self._test(test, parsed)
        return parsed.of(found.node) if parsed is not None and found is not None else ""

    def asserted(self, text: str, test: str = "") -> Iterator[str]:
        parsed = self.parse(text)
        if parsed is None:
            return
        found = self._test(test, parsed) if test else None
        if test and found is None:
            return
        for one in self.assertions(parsed, found.node if found else parsed.root):
            yield " ".join(parsed.of(one).split())

    def asserts(self, test: str, text: str) -> bool:
        parsed = self.parse(text)
        found = self._test(test, parsed)
        if parsed is None or found is None:
            return True
        own = _bodies(self, parsed)
        waiting, seen = [found.node], set[str]()
        while waiting:
            names = set(self._calls(parsed, waiting.pop()))
            if any(map(_LOOKS.search, names)):
                return True
            waiting += [own[name] for name in names - seen if name in own]
            seen |= names
        return False

    def every_function(self, parsed: Parsed) -> Iterator[Function]:
        for node in walk(parsed.root):
            body = node.child_by_field_name("body") if node.type in self.functions_are else None
            if body is not None:
                yield Function(self.called(parsed, node), node, body)

    def _calls(self, parsed: Parsed, node: Node) -> Iterator[str]:
        """The last words of what is called there."""
        for one in walk(node):
            function = one.child_by_field_name("function") if one.type in self.calls_are else None
            if function is not None:
                yield parsed.of(self._last(function))

    def _last(self, node: Node) -> Node:
        """The last name of a dotted one."""
        for field in ("property", "field"):
            if (found := node.child_by_field_name(field)) is not None:
                return found
        return node

    def skips_itself(self, test: str, text: str) -> bool:
        found = self._test(test, self.parse(text))
        return found is not None and found.skips

    def content(self, text: str) -> Iterator[str]:
        parsed = self.parse(text)
        if parsed is None:
            return
        titles = {one.start_byte for one in self._titles(parsed)}
        for node in walk(parsed.root, lambda one: not self._names_modules(parsed, one)):
            if node.type in self.strings_are | self.numbers_are and node.start_byte not in titles:
                yield parsed.of(node).strip("'\"`")
        for name in self._calls(parsed, parsed.root):
            if not self.speaking.fullmatch(name):
                yield f"{name}()"

    def _titles(self, parsed: Parsed) -> Iterable[Node]:
        """Texts that only name tests, or that they say when they fail."""
        del parsed
        return ()

    def _names_modules(self, parsed: Parsed, node: Node) -> bool:
        del parsed
        return node.type.startswith("import")

    def expectations(self, text: str, before: str, red: Collection[str]) -> Iterator[Expectation]:
        parsed, old = self.parse(text), self.parse(before)
        if parsed is None:
            return
        known = {old.tokens(one.node) for one in self.tests(old)} if old is not None else set()
        every = list(self.tests(parsed))
        for test in every:
            mine = parsed.tokens(test.node) not in known
            if test.skips or not (mine or any(self.fits(name, test.name) for name in red)):
                continue
            others = (one for one in every if one is not test)
            silence = tuple(e for one in others if (e := self.silence(parsed, one)) is not None)
            for edit in self.expected(parsed, test):
                yield Expectation(test.name, edit, silence)

    def changed_tests(self, text: str, before: str) -> tuple[str, ...] | None:
        parsed, old = self.parse(text), self.parse(before)
        if parsed is None or old is None:
            return None
        if list(self.beside_tests(parsed, parsed.root)) != list(self.beside_tests(old, old.root)):
            return None
        known = {old.tokens(one.node) for one in self.tests(old)}
        return tuple(one.name for one in self.tests(parsed) if parsed.tokens(one.node) not in known)

    def fresh(self, text: str, before: str) -> str:
        parsed, old = self.parse(text), self.parse(before)
        if parsed is None:
            return text
        known = set[str]()
        if old is not None:
            known = {old.tokens(one.node) for one in self.tests(old)}
            known |= set(self.beside_tests(old, old.root))
        tests = (one.node for one in self.tests(parsed))
        mine = [parsed.of(one) for one in tests if parsed.tokens(one) not in known]
        beside = self.beside_tests(parsed, parsed.root)
        return "\n".join([*mine, *(one for one in beside if one not in known)])

    def beside_tests(self, parsed: Parsed, node: Node) -> Iterator[str]:
        """What else is in a file of tests; what is imported makes no test another."""
        tests = {one.node.id for one in self.tests(parsed)}
        for one in node.named_children:
            if one.id not in tests and not one.type.startswith(("import", "comment")):
                yield parsed.tokens(one)

    def around(self, text: str, lines: Collection[int]) -> tuple[str, ...]:
        parsed = self.parse(text)
        if parsed is None:
            return ()
        found: dict[str, None] = {}
        for node in walk(parsed.root):
            if node.type in self.definitions_are:
                first, last = node.start_point[0] + 1, node.end_point[0] + 1
                if any(first <= line <= last for line in lines):
                    found[self.called(parsed, node)] = None
        return tuple(filter(None, found))

    def new(self, text: str, before: str) -> tuple[str, ...]:
        parsed, old = self.parse(text), self.parse(before)
        if parsed is None or old is None:
            return ()
        known = {one.name for one in self.functions(old)}
        names = (one.name for one in self.functions(parsed) if not self.makes(one))
        return tuple(dict.fromkeys(name for name in names if name and name not in known))

    def makes(self, function: Function) -> bool:
        """Whether it makes an object."""
        del function
        return False

    def only_keeps(self, function: Function) -> bool:
        """Whether an object that is made this way only remembers what it was given."""
        del function
        return True

    def hollowed(
        self, text: str, before: str, value: str, tests: str, only: Collection[str]
    ) -> str | None:
        parsed, old = self.parse(text), self.parse(before)
        if parsed is None or old is None:
            return None
        words = frozenset(re.findall(r"[\w$]+", tests))
        if not set(self.rest(parsed, words)) <= set(self.rest(old, words)):
            return None
        every = self._changed(parsed, old)
        changed = [one for one in every if not self.makes(one)]
        if not all(self.only_keeps(one) for one in every if self.makes(one)):
            return None
        if not all(self.is_reached_by_calls(parsed, one) for one in changed):
            return None
        mine = [one for one in changed if not only or one.name in only]
        return self._put(parsed, mine, value)

    def undoubled(self, text: str, before: str, value: str, tests: str) -> str:
        parsed, old, names = self.parse(text), self.parse(before), self.doubles(tests)
        if parsed is None or old is None or not names:
            return text
        changed = [one for one in self._changed(parsed, old) if one.name in names]
        return self._put(parsed, changed, value)

    def _changed(self, parsed: Parsed, old: Parsed) -> list[Function]:
        known = {(one.name, old.tokens(one.node, self.types_are)) for one in self.functions(old)}
        return [
            one
            for one in self.functions(parsed)
            if (one.name, parsed.tokens(one.node, self.types_are)) not in known
        ]

    def _put(self, parsed: Parsed, functions: Iterable[Function], value: str) -> str:
        edits = [self.emptied(parsed, one, value) for one in functions]
        text = parsed.text
        for edit in sorted(edits, reverse=True):
            text = text[: edit.start] + edit.new + text[edit.end :]
        return text

    def does_the_same(self, before: str, after: str) -> bool:
        return self._is_same(before, after, self.types_are)

    def differs_in_words(self, before: str, after: str) -> bool:
        return self._is_same(before, after, ())

    def _is_same(self, before: str, after: str, leave: Collection[str]) -> bool:
        parsed, old = self.parse(after), self.parse(before)
        if parsed is None or old is None:
            return False
        return parsed.tokens(parsed.root, leave) == old.tokens(old.root, leave)

    def shape(self, text: str) -> Part | None:
        """Not every language can be told so."""
        del text
        return None

    def other(self, parsed: Parsed, node: Node, *, part: bool = False) -> Edit | None:
        """Another literal in the place of one; None if it is none that can be changed."""
        text = parsed.of(node)
        if node.type in self.strings_are:
            if any(one.type == "template_substitution" for one in node.children):
                return None
            new = no_part(text[1:-1]) if part else other_text(text[1:-1])
            return parsed.edit(node, text[0] + new + text[-1], part=part)
        if part:
            return None
        if node.type in self.numbers_are:
            digits = re.fullmatch(r"([\d_.]*\d)(n?)", text)
            return parsed.edit(node, other_text(digits[1]) + digits[2]) if digits else None
        word = self.words.get(text)
        return parsed.edit(node, word) if word else None


@lru_cache(maxsize=16)
def _by_name(language: TreeLanguage, parsed: Parsed) -> Mapping[str, TestCode]:
    """The tests of a file, the first of each name: somebody asks for each of a thousand."""
    return {one.name: one for one in reversed(list(language.tests(parsed)))}


@lru_cache(maxsize=16)
def _bodies(language: TreeLanguage, parsed: Parsed) -> Mapping[str, Node]:
    return {one.name: one.body for one in language.every_function(parsed) if one.name}
