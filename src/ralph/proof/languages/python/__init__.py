"""Python, by its own `ast`."""

from __future__ import annotations

from typing import ClassVar

from ralph.proof.languages.language import Imports, Language
from ralph.proof.languages.python import hollow, imports, shape, tests, twist


class Python(Language):
    name: ClassVar = "Python"
    endings: ClassVar[tuple[str, ...]] = (".py",)
    imports: ClassVar = Imports(imports.LINE, imports.HIDDEN, imports.PythonModules, imports.beside)

    source_of = staticmethod(tests.source_of)
    asserted = staticmethod(tests.asserted)
    asserts = staticmethod(tests.asserts)
    skips_itself = staticmethod(tests.skips_itself)
    content = staticmethod(tests.content)
    fresh = staticmethod(tests.fresh)
    expectations = staticmethod(twist.expectations)
    changed_tests = staticmethod(twist.changed_tests)
    around = staticmethod(shape.around)
    new = staticmethod(hollow.new)
    values = staticmethod(hollow.values)
    hollowed = staticmethod(hollow.hollowed)
    undoubled = staticmethod(hollow.undoubled)
    does_the_same = staticmethod(shape.does_the_same)
    differs_in_words = staticmethod(shape.differs_in_words)
    shape = staticmethod(shape.shape)

    def fits(self, name: str, test: str) -> bool:
        return name.partition("[")[0] == test.rpartition(".")[2]
