import doctest
from pathlib import Path

from ask import said

GUIDE = Path("docs/usage.md")


def test_every_function_is_shown_and_run():
    examples = doctest.DocTestParser().get_examples(GUIDE.read_text())
    run = [example.source for example in examples if not example.options]
    assert any("as_text(" in source and "-1" not in source for source in run)
    assert any("parse(" in source for source in run)
    assert any("as_text(-1)" in source for source in run)


def test_the_examples_are_right():
    code = "import doctest; print(doctest.testfile('docs/usage.md', False).failed)"
    assert said(code) == "0"


def test_the_code_is_as_it_was():
    code = "from clock import as_text, parse; print(as_text(61), parse('1:01'))"
    assert said(code) == "1:01 61"
