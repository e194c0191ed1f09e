"""Languages whose tool chain names its own commands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ralph.checks.detect.project import CheckRole, DetectedCheck, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.checks.detect.project import ProjectFolder


def find(project: ProjectFolder) -> Iterator[DetectedCheck]:
    yield from _go(project)
    yield from _rust(project)
    yield from _java(project)
    yield from _ruby(project)
    yield from _php(project)


def find_make(project: ProjectFolder) -> Iterator[DetectedCheck]:
    """`make test`, for a project that says nothing more exact."""
    name = project.has("GNUmakefile", "makefile", "Makefile")
    text = project.text(name) if name else ""
    for target in ("test", "check"):
        if re.search(rf"^{target}\s*:(?!=)", text, re.MULTILINE):
            yield DetectedCheck(CheckRole.TEST, ("make", target), f"{name}: {target}")
            return


def _go(project: ProjectFolder) -> Iterator[DetectedCheck]:
    if project.has("go.mod"):
        yield DetectedCheck(CheckRole.TEST, ("go", "test", "./..."), "go.mod")
        yield DetectedCheck(CheckRole.LINT, ("go", "vet", "./..."), "go.mod")


def _rust(project: ProjectFolder) -> Iterator[DetectedCheck]:
    if not project.has("Cargo.toml"):
        return
    cargo = project.toml("Cargo.toml")
    everything = ("--workspace",) if "workspace" in cargo else ()
    yield DetectedCheck(CheckRole.TEST, ("cargo", "test", *everything), "Cargo.toml")
    why = project.has("clippy.toml", ".clippy.toml")
    if table(cargo, "lints", "clippy") or table(cargo, "workspace", "lints", "clippy"):
        why = "Cargo.toml: lints.clippy"
    if why:
        yield DetectedCheck(CheckRole.LINT, ("cargo", "clippy", "--all-targets", *everything), why)


def _java(project: ProjectFolder) -> Iterator[DetectedCheck]:
    if project.has("pom.xml"):
        program = "./mvnw" if project.has("mvnw") else "mvn"
        yield DetectedCheck(CheckRole.TEST, (program, "--batch-mode", "--quiet", "test"), "pom.xml")
    elif name := project.has("build.gradle", "build.gradle.kts", "settings.gradle.kts"):
        program = "./gradlew" if project.has("gradlew") else "gradle"
        yield DetectedCheck(CheckRole.TEST, (program, "--console=plain", "test"), name)


def _ruby(project: ProjectFolder) -> Iterator[DetectedCheck]:
    gems = project.text("Gemfile") + project.text("Gemfile.lock")
    if not gems:
        return
    if project.has("spec", ".rspec") and "rspec" in gems:
        yield DetectedCheck(
            CheckRole.TEST, ("bundle", "exec", "rspec"), project.has(".rspec", "spec")
        )
    elif project.has("test") and project.has("bin/rails"):
        yield DetectedCheck(CheckRole.TEST, ("bin/rails", "test"), "bin/rails")
    elif project.has("test") and "test" in project.text("Rakefile").casefold():
        yield DetectedCheck(CheckRole.TEST, ("bundle", "exec", "rake", "test"), "Rakefile")
    if project.has(".rubocop.yml") and "rubocop" in gems:
        yield DetectedCheck(CheckRole.LINT, ("bundle", "exec", "rubocop"), ".rubocop.yml")


def _php(project: ProjectFolder) -> Iterator[DetectedCheck]:
    composer = project.json("composer.json")
    needed = table(composer, "require-dev") | table(composer, "require")
    if "test" in table(composer, "scripts"):
        yield DetectedCheck(CheckRole.TEST, ("composer", "test"), "composer.json: scripts.test")
    elif name := project.has("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"):
        yield DetectedCheck(CheckRole.TEST, ("vendor/bin/phpunit",), name)
    if (name := project.has("phpstan.neon", "phpstan.neon.dist")) and "phpstan/phpstan" in needed:
        yield DetectedCheck(
            CheckRole.TYPES, ("vendor/bin/phpstan", "analyse", "--no-progress"), name
        )
