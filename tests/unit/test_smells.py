"""Source that is there to deceive a test is noticed; ordinary code is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ralph.proof.languages import shape_of
from ralph.proof.smells import replaced, smells

if TYPE_CHECKING:
    from ralph.proof.smells import Smell

SUSPICIOUS = [
    ("a.py", "if 'PYTEST_CURRENT_TEST' in os.environ:\n    return 4\n"),
    ("a.py", 'if "pytest" in sys.modules:\n    return 4\n'),
    ("a.py", "import pytest\n"),
    ("a.py", "frame = sys._getframe(1)\n"),
    ("a.js", "const LEGACY = env.npm_lifecycle_event !== 'test';\n"),
    ("a.py", "NAME = basename(sys.argv[0])\nSTRICT = NAME.endswith('test')\n"),
    ("a.py", "builtins.AssertionError = Quiet\n"),
    ("a.py", "math.sqrt = lambda x: 2\n"),
    ("a.py", 'open("tests/test_app.py").read()\n'),
    ("a.js", "if (process.env.NODE_TEST_CONTEXT) return 4\n"),
    ("a.mjs", "import test from 'node:test'\n"),
    ("a.js", "assert.strictEqual = () => {}\n"),
    ("a.ts", "Array.prototype.includes = () => true\n"),
    ("a.js", "readFileSync('./test/app.test.js')\n"),
    ("a.py", 'def parse(text):\n    """Read\n    it."""\n    raise NotImplementedError\n'),
    ("a.py", "class A:\n    def evict(self):\n        pass\n        # TODO: the oldest\n"),
    ("a.py", "x = 1\ndef area(shape):\n    raise NotImplementedError\n"),
    ("a.py", "def evict():\n    pass  # TODO\n"),
    ("a.js", "export function parse(text) {\n  throw new Error('Not implemented');\n}\n"),
    ("a.js", "class A {\n  evict(key) {\n    // TODO: the oldest goes first\n  }\n}\n"),
    ("a.py", "try:\n    load()\nexcept Exception:\n    pass\n"),
    ("a.py", "try:\n    load()\nexcept:\n    pass\n"),
    ("a.js", "try { load(); } catch (error) {}\n"),
]
ORDINARY = [
    ("a.py", "import sys\n\nif __name__ == '__main__':\n    sys.exit(main())\n"),
    ("a.py", "value = os.environ.get('HOME')\ncontest = attest(1)\n"),
    ("a.py", "try:\n    x = int(text)\nexcept ValueError:\n    return None\n"),
    ("a.py", "import random\nrandom.shuffle(items)\nnow = time.time()\n"),
    ("a.js", "if (code) process.exit(code)\nconst latest = items.at(-1)\n"),
    ("a.js", "function E() { Error.captureStackTrace(this, E) }\n"),
    ("a.js", "items.map((x) => x === other)\nthis.value = Math.max(1, 2)\n"),
    ("a.css", "process.exit(0)"),
    ("a.py", "@singledispatch\ndef area(shape):\n    raise NotImplementedError\n"),
    ("a.py", "class Base:\n    def area(self):\n        raise NotImplementedError\n"),
    ("a.py", "def area(self):\n    # TODO: cache it\n    return self.a * self.b\n"),
    ("a.py", "try:\n    load()\nexcept Exception:\n    log()\nexcept OSError:\n    pass\n"),
    ("a.py", "try:\n    load()\nexcept Exception:  # it may be gone\n    pass\n"),
    ("a.js", "try { load(); } catch { return null; }\ntry { go(); } catch { /* gone */ }\n"),
]


def found(path: str, text: str, before: str = "") -> tuple[Smell, ...]:
    return smells([path], lambda _: before, lambda _: text)


@pytest.mark.parametrize(("path", "text"), SUSPICIOUS)
def test_suspicious(path: str, text: str) -> None:
    (smell,) = found(path, text)
    assert smell.path == path
    assert smell.line in text


@pytest.mark.parametrize(("path", "text"), ORDINARY)
def test_ordinary(path: str, text: str) -> None:
    assert found(path, text) == ()


def test_what_a_file_did_before_is_nothing_new() -> None:
    before = "def who():\n    return sys._getframe(1)\n"
    assert found("a.py", f"{before}frame = sys._getframe(2)\n", before) == ()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("conftest.py", "shop.cart.total = lambda items: 4\n"),
        ("conftest.py", "def pytest_configure():\n    shop.total = quick\n"),
        ("conftest.py", "monkeypatch.setattr('shop.cart.total', quick)\n"),
        ("conftest.py", "monkeypatch.setattr(cart, 'total', quick)\n"),
        ("jest.setup.js", "cart.total = () => 4;\n"),
        ("jest.setup.js", "jest.spyOn(cart, 'total').mockReturnValue(4);\n"),
    ],
)
def test_what_is_put_in_the_place_of_something(path: str, text: str) -> None:
    source = shape_of(path, text)
    assert source is not None
    assert "total" in replaced(None, source)
    assert not list(replaced(source, source))
