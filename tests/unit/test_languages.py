"""What every language promises, and one that can do nothing most of all."""

from __future__ import annotations

import ast
from typing import ClassVar
from unittest.mock import Mock

import pytest

from ralph.domain.tests import SEPARATOR
from ralph.proof import languages, reached
from ralph.proof.assertions import asserts, source_of
from ralph.proof.hollowed import hollow
from ralph.proof.languages import LANGUAGES
from ralph.proof.languages.javascript import JavaScript
from ralph.proof.languages.javascript.tests import ScriptTests
from ralph.proof.languages.language import Language
from ralph.proof.twisted import Source, can_twist

TEXT = "def add(a, b)\n  a + b\nend\n"
BEFORE = "def add(a, b)\nend\n"


class Stub(Language):
    """All that a newcomer has to say of a language."""

    name: ClassVar = "Esperanto"
    endings: ClassVar = (".eo",)


@pytest.fixture(params=[*LANGUAGES, Stub()], ids=lambda one: f"{one.name}{one.endings[0]}")
def language(request: pytest.FixtureRequest) -> Language:
    found: Language = request.param
    return found


def test_what_did_not_change_is_left_alone(language: Language) -> None:
    value, other = language.values("")
    for one in (value, other):
        assert language.undoubled(TEXT, TEXT, one, "") == TEXT
        assert language.hollowed(TEXT, TEXT, one, "", ()) in (TEXT, None)
    assert tuple(language.new(TEXT, TEXT)) == ()
    assert not language.changed_tests(TEXT, TEXT)
    assert list(language.expectations(TEXT, TEXT, ())) == []


def test_a_file_is_read_once_however_many_of_its_tests_are_asked_about(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With thousands of them anything else takes minutes."""
    parse, tests = Mock(wraps=ast.parse), Mock(wraps=JavaScript().tests)
    monkeypatch.setattr(ast, "parse", parse)
    monkeypatch.setattr(ScriptTests, "tests", lambda _, parsed: tests(parsed))
    python = "".join(f"def test_{n}():\n    assert f({n})\n" for n in range(50))
    script = "".join(f"it('does {n}', () => {{ expect(f()).toBe({n}); }});\n" for n in range(50))
    for n in range(50):
        assert f"f({n})" in source_of(f"a.py::test_{n}", "a.py", python)
        assert f"toBe({n})" in source_of(f"a.test.js \u203a does {n}", "a.test.js", script)
        assert asserts(f"a.py::test_{n}", "a.py", python)
        assert asserts(f"a.test.js \u203a does {n}", "a.test.js", script)
    assert (parse.call_count, tests.call_count) == (1, 1)


def test_of_a_test_that_is_not_there_nothing_is_said(language: Language) -> None:
    assert language.source_of("test_none", TEXT) == ""
    assert list(language.asserted("", "test_none")) == []
    assert language.asserts("test_none", TEXT)
    assert not language.skips_itself("test_none", TEXT)


def test_not_every_line_imports(language: Language) -> None:
    """The patterns of all languages are joined for one look: an empty one would match any line."""
    for pattern in (language.imports.line, language.imports.hidden) if language.imports else ():
        assert all(pattern.split("|"))


def test_a_language_that_can_do_nothing_is_as_good_as_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(languages._BY_ENDING, ".rb", Stub())
    assert can_twist("a.rb")
    assert hollow([Source("a.rb", TEXT, BEFORE)], 0) == {}
    assert ".rb" not in reached.ENDINGS
    assert languages.shape_of("a.rb", TEXT) is None


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (r"'doesn\'t'", "doesn't"),
        (r'"a \"b\""', 'a "b"'),
        (r"'no \\r at the end'", r"no \r at the end"),
        (r"'two\nlines'", "two\nlines"),
        (r"'\u00e9 \x41 \u{1F600} \uD83D\uDE00'", "é A 😀 😀"),
    ],
)
def test_a_title_is_what_its_runner_says(typed: str, said: str) -> None:
    text = f"it({typed}, () => {{ expect(f()).toBe(1); }});\n"
    assert "toBe(1)" in source_of(f"a.test.js{SEPARATOR}{said}", "a.test.js", text)
