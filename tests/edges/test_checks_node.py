"""Linked packages in node_modules: the checks must see the candidate."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from ralph.checks.commands import Checker
from ralph.checks.fingerprint import entries
from ralph.domain.settings import VerificationSettings

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.checks.dependencies import Prepared

WHO = "console.log([require('linked'), require('plain'), require('@own/scoped')].join())"


class Project:
    def __init__(self, tmp_path: Path) -> None:
        self.user = tmp_path / "user"
        self.checkout = tmp_path / "state/checkout"
        for root, who in ((self.user, "workspace"), (self.checkout, "candidate")):
            for name in ("linked", "scoped"):
                write(root / f"packages/{name}/index.js", f"module.exports = '{name} {who}'")
            write(root / "package.json", json.dumps({"name": "top"}))
        self.modules = self.user / "node_modules"
        write(self.modules / "plain/index.js", "module.exports = 'plain'")
        (self.modules / "@own").mkdir()

    def link(self, name: str, to: str) -> None:
        (self.modules / name).symlink_to(to)

    def prepare(self) -> Prepared:
        self.checker = Checker(VerificationSettings(), self.user, base={"PATH": os.environ["PATH"]})
        return asyncio.run(self.checker.prepare(self.checkout, ("node_modules/",)))

    def resolved(self, name: str) -> str:
        return os.path.realpath(self.checkout / "node_modules" / name)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.mark.parametrize("style", ["relative", "absolute", "through the parent"])
def test_links_into_the_repository_lead_to_the_candidate(project: Project, style: str) -> None:
    prefix = {
        "relative": "..",
        "absolute": str(project.user),
        "through the parent": f"../../{project.user.name}",
    }[style]
    project.link("linked", f"{prefix}/packages/linked")
    project.link(
        "@own/scoped", f"{'../' if prefix.startswith('.') else ''}{prefix}/packages/scoped"
    )
    before = entries(project.user)
    prepared = project.prepare()
    assert prepared.trusted, prepared.notes
    assert project.resolved("linked") == str(project.checkout / "packages/linked")
    assert project.resolved("@own/scoped") == str(project.checkout / "packages/scoped")
    if shutil.which("node"):
        logs = project.checkout.parent / "logs"
        command = ("node", "-e", WHO)
        (result,) = asyncio.run(project.checker.run([command], project.checkout, logs, "x"))
        assert result.tail == "linked candidate,plain,scoped candidate"
    assert entries(project.user) == before


def test_programs_of_the_copy_come_first_and_name_the_checkout(project: Project) -> None:
    shim = f'#!/bin/sh\necho "{project.user}/node_modules/.pnpm" "$0"\n'
    write(project.modules / ".bin/tool", shim)
    (project.modules / ".bin/tool").chmod(0o755)
    project.prepare()
    logs = project.checkout.parent / "logs"
    (result,) = asyncio.run(project.checker.run([("tool",)], project.checkout, logs, "x"))
    modules = project.checkout / "node_modules"
    assert result.tail == f"{modules}/.pnpm {modules}/.bin/tool"


def test_a_link_out_of_the_repository_stays_and_is_mentioned(project: Project) -> None:
    outside = project.user.parent / "other/lib"
    write(outside / "index.js", "module.exports = 'other'")
    project.link("lib", "../../other/lib")
    prepared = project.prepare()
    assert project.resolved("lib") == str(outside)
    assert prepared.notes == (f"`lib` is linked from {outside}, outside the repository.",)
    assert prepared.trusted


def test_a_detour_back_to_the_workspace_is_not_trusted(project: Project) -> None:
    detour = project.user.parent / "detour"
    detour.symlink_to(project.user / "packages/linked")
    project.link("linked", str(detour))
    prepared = project.prepare()
    assert not prepared.trusted
    assert f"`linked` from {project.user}/packages/linked" in prepared.notes[0]


def test_an_installed_copy_of_a_local_package_is_not_trusted(project: Project) -> None:
    manifest = {"dependencies": {"linked": "file:packages/linked", "plain": "^1.0.0"}}
    (project.checkout / "package.json").write_text(json.dumps(manifest))
    write(project.modules / "linked/index.js", "module.exports = 'an old copy'")
    prepared = project.prepare()
    assert not prepared.trusted
    (note,) = prepared.notes
    assert f"`linked` from {project.checkout}/node_modules/linked" in note


def test_a_link_to_a_package_the_candidate_removed_misleads_nobody(project: Project) -> None:
    project.link("linked", "../packages/linked")
    shutil.rmtree(project.checkout / "packages/linked")
    assert project.prepare().trusted
