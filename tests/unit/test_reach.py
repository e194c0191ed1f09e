"""Which files can see a change, by the lines that import."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.proof.reached import ENDINGS, LINES, Reach

NAMES = st.sampled_from("abcdef")
SOURCE = Path(__file__).parents[2] / "src"


def read(files: dict[str, str]) -> Reach:
    """As git would find the lines."""
    pattern = re.compile(LINES.replace("[[:space:]]", r"\s"))
    lines = [
        (name, line)
        for name, text in files.items()
        for line in text.split("\n")
        if pattern.search(line)
    ]
    return Reach(tuple(files), lines)


@pytest.mark.parametrize(
    "line",
    [
        "import app.dates",
        "import os, app.dates as d",
        "import app.dates  # why",
        "from app.dates import parse",
        "from app import dates",
        "from app import money, dates as d",
        "from app import (",
        "from app import \\",
        "from app import *",
        "    from app import dates",
        "from src.app import dates",
        "import importlib",
        "import subprocess",
        'patch("app.dates.parse")',
        "from unittest.mock import patch; patch('x')",
    ],
)
def test_python_that_sees_it(line: str) -> None:
    files = {"src/app/dates.py": "", "src/app/money.py": "", "tests/test_a.py": line}
    assert "tests/test_a.py" in read(files).of(["src/app/dates.py"])


@pytest.mark.parametrize(
    "line",
    [
        "import app.money",
        "from app import money",
        "from app.money import dates_of",
        "import re",
        "",
    ],
)
def test_python_that_does_not(line: str) -> None:
    files = {"src/app/dates.py": "", "src/app/money.py": "", "tests/test_a.py": line}
    assert "tests/test_a.py" not in read(files).of(["src/app/dates.py"])


def test_python_around_a_file_is_loaded_with_it() -> None:
    files = {
        "app/__init__.py": "from app.core import x",
        "app/core.py": "from . import deep",
        "app/deep.py": "",
        "app/other.py": "",
        "tests/conftest.py": "from lib import helper",
        "lib/helper.py": "",
        "tests/sub/test_a.py": "",
        "elsewhere/test_b.py": "from app import other",
    }
    reach = read(files)
    assert reach.of(["app/deep.py"]) >= {"app/other.py", "elsewhere/test_b.py"}
    assert reach.of(["lib/helper.py"]) >= {"tests/sub/test_a.py"}
    assert "elsewhere/test_b.py" not in reach.of(["lib/helper.py"])


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("app/a.py", "from .dates import parse"),
        ("app/a.py", "from . import dates"),
        ("app/sub/a.py", "from .. import dates"),
        ("app/sub/a.py", "from ..dates import parse"),
    ],
)
def test_python_says_from_where_it_stands(file: str, line: str) -> None:
    files = {"src/app/dates.py": "", f"src/{file}": line, "src/other/dates.py": ""}
    assert f"src/{file}" in read(files).of(["src/app/dates.py"])
    assert f"src/{file}" not in read(files).of(["src/other/dates.py"])


@pytest.mark.parametrize(
    "line",
    [
        "import { parse } from '../src/dates.js';",
        'const { parse } = require("../src/dates");',
        "import '../src/dates.mjs';",
        "const dates = await import('../src/dates.js');",
        "} from '../src/dates.ts'",
        "export * from '../src/dates.js';",
        "import dates from '@/dates';",
        "import dates from '#src/dates.js';",
        "require(name)",
        "import { spawn } from 'node:child_process';",
    ],
)
def test_javascript_that_sees_it(line: str) -> None:
    files = {"src/dates.js": "", "src/money.js": "", "test/a.test.js": line}
    assert "test/a.test.js" in read(files).of(["src/dates.js"])


@pytest.mark.parametrize(
    "line",
    [
        "import { x } from '../src/money.js';",
        "import test from 'node:test';",
        "import x from 'lodash';",
    ],
)
def test_javascript_that_does_not(line: str) -> None:
    files = {"src/dates.js": "", "src/money.js": "", "test/a.test.js": line}
    assert "test/a.test.js" not in read(files).of(["src/dates.js"])


def test_javascript_of_a_folder() -> None:
    files = {"lib/index.js": "", "test/a.test.js": "import x from '../lib';"}
    assert read(files).of(["lib/index.js"]) == set(files)


def test_a_file_that_nobody_imports_is_not_seen() -> None:
    reach = read({"app.py": "", "plugin.py": "", "test_app.py": "import app\nimport importlib"})
    assert reach.is_seen("app.py", ["test_app.py"])
    assert not reach.is_seen("plugin.py", ["test_app.py"])


@given(
    st.dictionaries(
        st.sampled_from("abcdef"), st.lists(st.sampled_from("abcdef"), max_size=3), min_size=2
    ),
    st.data(),
)
def test_whoever_sees_a_file_sees_what_that_file_sees(
    graph: dict[str, list[str]], data: st.DataObject
) -> None:
    reach = read(
        {f"{name}.py": "\n".join(f"import {one}" for one in to) for name, to in graph.items()}
    )
    changed = f"{data.draw(st.sampled_from(sorted(graph)))}.py"
    found = reach.of([changed])
    assert changed in found
    assert all(reach.of([one]) <= found for one in found)


@pytest.mark.parametrize(
    "module", ["ralph.proof.experiments.overlay", "ralph.ui.cli.main", "ralph.agents.claude"]
)
def test_python_itself_loads_nothing_more(module: str) -> None:
    """What a real import brings in was foreseen, every file of it."""
    files = "getattr(one, '__file__', None) or '' for one in sys.modules.values()"
    code = f"import sys, {module}; print(*({files}), sep='\\n')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = map(Path, done.stdout.splitlines())
    texts = {
        path.relative_to(SOURCE).as_posix(): path.read_text(encoding="utf-8")
        for path in SOURCE.rglob("*")
        if path.name.endswith(ENDINGS)
    }
    reach, file = read(texts), module.replace(".", "/") + ".py"
    ours = {path.relative_to(SOURCE).as_posix() for path in loaded if path.is_relative_to(SOURCE)}
    assert len(ours) > 5
    assert [one for one in ours if file not in reach.of([one])] == []
