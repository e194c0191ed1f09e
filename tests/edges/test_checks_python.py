"""Virtual environments with installs of the project itself: the checks must see the candidate."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ralph.checks.commands import Checker
from ralph.checks.fingerprint import entries
from ralph.checks.relocate import Move, relocate
from ralph.domain.settings import VerificationSettings
from ralph.domain.task import shell

if TYPE_CHECKING:
    from ralph.checks.dependencies import Prepared
    from ralph.domain.task import Command

# As setuptools writes it, without the parts for namespaces.
FINDER = """\
from __future__ import annotations
import sys
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path

MAPPING: dict[str, str] = {{'pkg': '{root}/src/pkg'}}
NAMESPACES: dict[str, list[str]] = {{}}


class _EditableFinder:
    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        if fullname in MAPPING:
            candidate = Path(MAPPING[fullname], "__init__.py")
            return spec_from_file_location(fullname, candidate)
        return None


def install():
    if not any(finder == _EditableFinder for finder in sys.meta_path):
        sys.meta_path.append(_EditableFinder)
"""
TOOL = """\
#!{root}/.venv/bin/python
import sys
from pkg import main
sys.exit(main())
"""
MODULE = """\
def main() -> int:
    print("this is the {who}")
    return 0
"""


@dataclass
class Project:
    user: Path
    checkout: Path
    base: Mapping[str, str]
    ignored: tuple[str, ...] = (".venv/",)

    @property
    def site(self) -> Path:
        (found,) = (self.user / ".venv").glob("lib/python*/site-packages")
        return found

    def make_virtualenv(self, at: Path | None = None) -> Path:
        place = at or self.user / ".venv"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
        return place

    def install_tool(self) -> None:
        tool = self.user / ".venv/bin/tool"
        tool.write_text(TOOL.format(root=self.user))
        tool.chmod(0o755)

    def prepare(self) -> Prepared:
        self.checker = Checker(VerificationSettings(), self.user, base=self.base)
        return asyncio.run(self.checker.prepare(self.checkout, self.ignored))

    def said(self, command: Command) -> str:
        logs = self.checkout.parent / "logs"
        (result,) = asyncio.run(self.checker.run([command], self.checkout, logs, "x"))
        assert result.passed, result.tail
        return result.tail


def write_project(root: Path, who: str, layout: str) -> None:
    package = root / layout / "pkg"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(MODULE.format(who=who))
    (package / "__main__.py").write_text("from pkg import main\nmain()\n")
    (root / "pyproject.toml").write_text('[project]\nname = "pkg"\nversion = "1"\n')


def make(tmp_path: Path, name: str = "state/checkout", layout: str = "src") -> Project:
    project = Project(tmp_path / "user", tmp_path / name, {"PATH": os.environ["PATH"]})
    write_project(project.user, "workspace", layout)
    write_project(project.checkout, "candidate", layout)
    return project


def as_path_file(project: Project) -> None:
    (project.site / "__editable__.pkg-1.pth").write_text(f"{project.user}/src\n")


def as_finder(project: Project) -> None:
    hook = "import __editable___pkg_1_finder; __editable___pkg_1_finder.install()\n"
    (project.site / "__editable__.pkg-1.pth").write_text(hook)
    (project.site / "__editable___pkg_1_finder.py").write_text(FINDER.format(root=project.user))
    # Compiled by a first use, as in real life.
    subprocess.run([project.user / ".venv/bin/python", "-c", "import pkg"], check=True)


def as_plain_copy(project: Project) -> None:
    subprocess.run(["cp", "-r", project.user / "src/pkg", project.site], check=True)


INSTALLS = {"path file": as_path_file, "finder": as_finder, "plain copy": as_plain_copy}
COMMANDS: dict[str, Command] = {
    "python of the environment": (".venv/bin/python", "-P", "-m", "pkg"),
    "its program": (".venv/bin/tool",),
    "python on PATH": ("python", "-P", "-m", "pkg"),
    "program on PATH": ("tool",),
    "activated": shell(". .venv/bin/activate && exec tool"),
}


@pytest.mark.parametrize("install", INSTALLS)
@pytest.mark.parametrize("name", ["state/checkout", "a place with spaces/checkout"])
def test_every_way_leads_to_the_candidate(tmp_path: Path, install: str, name: str) -> None:
    project = make(tmp_path, name)
    project.make_virtualenv()
    INSTALLS[install](project)
    project.install_tool()
    before = entries(project.user)
    prepared = project.prepare()
    assert prepared.trusted, prepared.notes
    assert prepared.notes == ()
    for way, command in COMMANDS.items():
        assert project.said(command) == "this is the candidate", way
    assert entries(project.user) == before


def test_a_program_with_a_long_path_still_starts(tmp_path: Path) -> None:
    project = make(tmp_path, f"{'long' * 50}/{'name' * 30}/checkout")
    project.make_virtualenv()
    as_path_file(project)
    project.install_tool()
    assert project.prepare().trusted
    assert project.said(("tool",)) == "this is the candidate"


def test_compiled_code_of_a_corrected_file_goes(tmp_path: Path) -> None:
    move = Move(tmp_path / "one", tmp_path / "two")
    compiled = tmp_path / "two/__pycache__/__editable___x_finder.cpython-311.pyc"
    compiled.parent.mkdir(parents=True)
    compiled.touch()
    (tmp_path / "two/__editable___x_finder.py").write_text(f"MAPPING = '{tmp_path}/one/x'")
    relocate(tmp_path / "two", ".venv", entries(tmp_path / "two"), move)
    assert not compiled.exists()
    corrected = (tmp_path / "two/__editable___x_finder.py").read_text()
    assert corrected == f"MAPPING = '{tmp_path}/two/x'"


def test_without_relocation_the_check_would_see_the_workspace(tmp_path: Path) -> None:
    project = make(tmp_path)
    project.make_virtualenv()
    as_path_file(project)
    command = [str(project.user / ".venv/bin/python"), "-P", "-m", "pkg"]
    said = subprocess.run(command, cwd=project.checkout, capture_output=True, check=True)
    assert said.stdout == b"this is the workspace\n"


def test_writing_into_the_environment_leaves_the_users_alone(tmp_path: Path) -> None:
    project = make(tmp_path)
    project.make_virtualenv()
    as_path_file(project)
    project.prepare()
    before = entries(project.user)
    write = "import sysconfig, pathlib; p = sysconfig.get_path('purelib');"
    code = f"{write} pathlib.Path(p, 'pkg.py').write_text('bad'); print(p)"
    place = project.said(("python", "-c", code))
    assert place.startswith(f"{project.checkout}/.venv/")
    assert entries(project.user) == before


@pytest.mark.parametrize("layout", ["src", "."])
@pytest.mark.parametrize("activated", [True, False])
def test_an_environment_outside_the_repository_is_outranked(
    tmp_path: Path, activated: bool, layout: str
) -> None:
    project = make(tmp_path, layout=layout)
    outside = project.make_virtualenv(tmp_path / "envs/pkg")
    (site,) = outside.glob("lib/python*/site-packages")
    (site / "pkg.pth").write_text(f"{project.user / layout}\n")
    project.base = {"PATH": f"{outside}/bin:{os.environ['PATH']}"}
    if activated:
        project.base = {**project.base, "VIRTUAL_ENV": str(outside)}
    project.ignored = ()
    prepared = project.prepare()
    assert prepared.trusted, prepared.notes
    assert prepared.environment["PYTHONPATH"] == str(project.checkout / layout)
    assert project.said(("python", "-P", "-m", "pkg")) == "this is the candidate"


def test_an_installation_from_a_checkout_that_is_out_of_sight_is_replaced(tmp_path: Path) -> None:
    """Between walls the user's checkout is not there, and what an environment takes from it."""
    project = make(tmp_path)
    outside = project.make_virtualenv(tmp_path / "envs/pkg")
    (site,) = outside.glob("lib/python*/site-packages")
    (site / "pkg.pth").write_text(f"{tmp_path}/out/of/sight/src\n")
    project.base = {"PATH": f"{outside}/bin:{os.environ['PATH']}"}
    project.ignored = ()
    assert project.prepare().trusted
    assert project.said(("python", "-P", "-m", "pkg")) == "this is the candidate"
    (project.checkout / "src" / "json.py").write_text("raise SystemExit\n")
    assert "PYTHONPATH" not in project.prepare().environment, "Python's own come first"


def test_an_activated_environment_of_the_workspace_becomes_the_checkouts(tmp_path: Path) -> None:
    project = make(tmp_path)
    venv = project.make_virtualenv()
    as_path_file(project)
    tools = project.user / "tools"
    path = f"{venv}/bin:{tools}:{os.environ['PATH']}"
    project.base = {"PATH": path, "VIRTUAL_ENV": str(venv), "PYTHONPATH": f"{project.user}/src"}
    prepared = project.prepare()
    assert prepared.environment["VIRTUAL_ENV"] == f"{project.checkout}/.venv"
    assert prepared.environment["PYTHONPATH"] == f"{project.checkout}/src"
    assert str(project.user) not in prepared.environment["PATH"].replace(str(project.checkout), "")
    assert project.said(("python", "-P", "-m", "pkg")) == "this is the candidate"


def test_what_cannot_be_turned_is_said_and_not_trusted(tmp_path: Path) -> None:
    project = make(tmp_path)
    project.make_virtualenv()
    hidden = repr(str(project.user / "src"))[1:-1].replace("user", "us' 'er")
    # A path that no search for text finds, put before PYTHONPATH.
    (project.site / "sly.pth").write_text(f"import sys; sys.path.insert(0, '{hidden}')\n")
    prepared = project.prepare()
    assert not prepared.trusted
    (note,) = prepared.notes
    assert f"`pkg` from {project.user}/src/pkg/__init__.py, not from the candidate" in note


def test_an_environment_that_does_not_run_proves_nothing(tmp_path: Path) -> None:
    project = make(tmp_path)
    venv = project.make_virtualenv()
    (venv / "bin/python").unlink()
    (venv / "bin/python").symlink_to("/no/such/python")
    prepared = project.prepare()
    assert not prepared.trusted
    assert "does not run in the checkout" in prepared.notes[0]


def test_a_flat_project_without_an_environment_needs_nothing(tmp_path: Path) -> None:
    project = make(tmp_path, layout=".")
    project.ignored = ()
    prepared = project.prepare()
    assert prepared.trusted
    assert prepared.notes == ()
    assert "PYTHONPATH" not in prepared.environment


def test_the_probe_does_not_run_the_package(tmp_path: Path) -> None:
    project = make(tmp_path)
    project.make_virtualenv()
    as_path_file(project)
    module = project.checkout / "src/pkg/__init__.py"
    module.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    assert project.prepare().trusted
    assert not (tmp_path / "ran").exists()


def test_environments_of_packages_further_down(tmp_path: Path) -> None:
    project = make(tmp_path)
    for root, who in ((project.user, "workspace"), (project.checkout, "candidate")):
        write_project(root / "packages/inner", who, "src")
    venv = project.make_virtualenv(project.user / "packages/inner/.venv")
    (site,) = venv.glob("lib/python*/site-packages")
    (site / "inner.pth").write_text(f"{project.user}/packages/inner/src\n")
    project.ignored = ("packages/inner/.venv/",)
    prepared = project.prepare()
    assert prepared.carried == ("packages/inner/.venv",)
    assert prepared.trusted, prepared.notes
    python = "packages/inner/.venv/bin/python"
    assert project.said((python, "-P", "-m", "pkg")) == "this is the candidate"
