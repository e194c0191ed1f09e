"""What every language promises, and one that can do nothing most of all."""

from __future__ import annotations

from typing import ClassVar

import pytest

from ralph.proof import languages, reached
from ralph.proof.hollowed import hollow
from ralph.proof.languages import LANGUAGES
from ralph.proof.languages.language import Language
from ralph.proof.twisted import Source, can_twist

TEXT = "def add(a, b)\n  a + b\nend\n"
BEFORE = "def add(a, b)\nend\n"


class Stub(Language):
    """All that a newcomer has to say of a language."""

    name: ClassVar = "Ruby"
    endings: ClassVar = (".rb",)


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
