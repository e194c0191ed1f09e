"""What the documents say about the program is what the program says about itself."""

from __future__ import annotations

import ast
import re
import string
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from ralph.config import load, settings_reference
from ralph.domain.decision import StopReason, exit_code
from ralph.domain.event import EVENTS
from ralph.domain.evidence import FactKind, Weight
from ralph.domain.powers import SETTINGS, Needs
from ralph.domain.settings import Settings, VerificationSettings
from ralph.domain.trouble import TroubleKind
from ralph.domain.verdict import Level
from ralph.policy.remedy import (
    A_LITTLE,
    COOL_DOWN_SECONDS,
    LONGEST_COOL_DOWN,
    REMEDIES,
    STAYS,
    UNKNOWN_LIMIT_SECONDS,
    Remedy,
)
from ralph.process import environment
from ralph.prompts import template
from ralph.proof import weigh
from ralph.proof.experiments import EXPERIMENTS
from ralph.ui.cli.main import COMMANDS, cli

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
LONGEST_README = 150
VERDICTS = "docs/reference/verdicts.md"
TEST_NAME = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
ROW = re.compile(r"^\| ([EPACH]\d+) \| (.+) \| (.+) \| (.+) \|$", re.MULTILINE)
REQUIRED = (
    *(f"E{n}" for n in range(1, 17)),
    *(f"P{n}" for n in (4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
    *(f"H{n}" for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17)),
    *("C5", "C6", "C7", "C8", "C12"),
)
EVERY = {"E": 16, "P": 18, "A": 6, "C": 12, "H": 17}


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@cache
def anchors(page: Path) -> frozenset[str]:
    """The names that links can use for a page's headings, as the usual renderers make them."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    kept = string.ascii_lowercase + string.digits + " -_"
    found = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return frozenset(
        "".join(char for char in heading.lower() if char in kept).replace(" ", "-")
        for heading in found
    )


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_between_documents_resolves(page: Path) -> None:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    broken = []
    for target in LINK.findall(text):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        place = (page.parent / path).resolve() if path else page
        if not place.exists() or (anchor and anchor not in anchors(place)):
            broken.append(target)

    assert broken == []


def test_every_document_can_be_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        for target in LINK.findall(page.read_text(encoding="utf-8")):
            path = target.partition("#")[0]
            if path and "://" not in path:
                waiting.append((page.parent / path).resolve())

    assert [name_of(page) for page in PAGES if page not in reached] == []


def test_the_readme_is_short() -> None:
    assert len(read("README.md").splitlines()) <= LONGEST_README


def test_no_document_names_a_place_on_the_machine_it_was_written_on() -> None:
    places = re.compile(r"/(?:tmp|work|root)/|localhost:\d")
    pictures = [*PAGES, DOCS / "demo.svg"]

    assert [name_of(p) for p in pictures if places.search(p.read_text(encoding="utf-8"))] == []


def test_the_table_of_settings_is_the_program_s_own() -> None:
    expected = [
        f"| `{row.key}` | `{row.default}` | {_cell(row.meaning)} |" for row in settings_reference()
    ]
    text = read("docs/reference/configuration.md")
    found = [line for line in text.splitlines() if re.match(r"\| `", line)]

    assert found == expected


def test_the_settings_that_need_trust_are_the_program_s_own() -> None:
    text = read("docs/reference/configuration.md")
    section = text.partition("## Which settings need trust")[2].partition("\n## ")[0]
    listed = [*re.split(r"^- ", section, flags=re.MULTILINE)[1:]]
    wanted: dict[Needs, set[str]] = {}
    for key, needs in SETTINGS.items():
        wanted.setdefault(needs, set()).add(
            re.sub(r"^(claude|agents|ledger|safety)\..*", r"\1.*", key)
        )
    del wanted[Needs.NOTHING]
    order = (Needs.TRUST, Needs.OUTSIDE, Needs.FEWER, Needs.MORE)
    names = [
        {*re.findall(r"`([a-z_]+(?:\.[a-z_*]+)?)`", one.partition("\n\n")[0])} for one in listed
    ]

    assert names == [wanted[needs] for needs in order]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace(">", "&gt;")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_ralph_yaml_that_is_shown_loads(page: Path, tmp_path: Path) -> None:
    sections = set(Settings.__struct_fields__)
    for language, body in FENCE.findall(page.read_text(encoding="utf-8")):
        if language == "yaml" and body.split(":")[0] in sections:
            (tmp_path / "ralph.yaml").write_text(body, encoding="utf-8")
            assert load(tmp_path, environ={}).file is not None


def commands() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        yield name, command
        if isinstance(command, click.Group):
            yield from ((f"{name} {sub}", one) for sub, one in command.commands.items())


def test_every_command_and_option_is_in_the_reference() -> None:
    text = read("docs/reference/commands.md")
    missing = [name for name, _ in commands() if f"`ralph {name}" not in text]
    for name, command in commands():
        options = [p for p in command.params if isinstance(p, click.Option)]
        missing += [f"{name} {o.opts[0]}" for o in options if o.opts[0] not in text]

    assert missing == []


def test_every_command_that_is_shown_exists() -> None:
    shown = {
        word
        for page in PAGES
        if page.name != "conformance.md"  # names what is to come
        for word in re.findall(r"(?:`|\$ )ralph ([a-z]+)", page.read_text(encoding="utf-8"))
    }

    assert shown <= {*COMMANDS, "hook"}  # which the front door answers
    assert shown


@pytest.mark.parametrize("name", EVENTS)
def test_every_event_is_described_with_its_fields(name: str) -> None:
    row = re.search(
        rf"^\| `{name}` \|.*\| (.*) \|$", read("docs/reference/events.md"), re.MULTILINE
    )

    assert row
    assert re.findall(r"`(\w+)`", row[1]) == list(EVENTS[name].__struct_fields__)


@pytest.mark.parametrize("reason", StopReason)
def test_every_reason_to_stop_has_its_exit_code(reason: StopReason) -> None:
    assert f"| `{reason}` | {exit_code(reason)} |" in read("docs/reference/exit-codes.md")


def test_every_fact_is_listed_with_its_weight() -> None:
    rows = re.findall(r"^\| `(\w+)` \| \S.* \| `(\w+)` \|$", read(VERDICTS), re.MULTILINE)

    wanted = [(kind.value, weight.value) for kind, weight in weigh.DEFAULTS.items()]
    assert rows == wanted, "the table of facts has a row for each, in the order of weigh.DEFAULTS"
    assert {kind for kind, _ in rows} == set(FactKind)


def test_the_table_of_experiments_is_the_program_s_own() -> None:
    text = (DOCS / "reference" / "verdicts.md").read_text("utf-8")
    for one in EXPERIMENTS:
        assert f"| {one.name} | {one.what} |" in text, "run `make docs`"
    assert len({one.name for one in EXPERIMENTS}) == len(EXPERIMENTS)


def test_every_level_is_explained_weakest_first() -> None:
    text = read(VERDICTS).partition("## Levels")[2].partition("### ")[0]

    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == list(Level)[1:]


def test_every_switch_of_the_verification_is_explained() -> None:
    told = {*re.findall(r"`verification\.(\w+)`", read(VERDICTS)), *Weight}
    fields = VerificationSettings.__struct_fields__
    about_running = {"commands", "timeout_minutes", "setup", "carry", "keep", "env", "network"}

    assert told == set(fields) - about_running


@pytest.mark.parametrize("kind", TroubleKind)
def test_every_kind_of_trouble_is_listed_with_its_remedy(kind: TroubleKind) -> None:
    found = re.search(rf"^\| `{kind}` \| .+$", read("docs/reference/troubles.md"), re.MULTILINE)
    assert found
    what, remedy, hands_over, advice = (cell.strip() for cell in found[0].split("|")[2:6])

    assert remedy == f"`{REMEDIES[kind]}`"
    assert hands_over == ("no" if kind in STAYS else "yes")
    assert what
    assert advice


def test_every_remedy_is_explained_with_its_times() -> None:
    text = read("docs/reference/troubles.md")
    rows = re.findall(r"^\| `(\w+)` \| [A-Z].*\|$", text, re.MULTILINE)
    words = (
        f"{A_LITTLE:.0f} second more",
        f"{UNKNOWN_LIMIT_SECONDS / 60:.0f} minutes if nobody says when",
        f"{COOL_DOWN_SECONDS:.0f} seconds, doubled",
        f"at most {LONGEST_COOL_DOWN / 60:.0f} minutes",
    )

    assert sorted(rows) == sorted(Remedy)
    assert [one for one in words if one not in " ".join(text.split())] == []


def test_the_agent_contract_lists_the_variables_that_reach_a_child() -> None:
    section = read("docs/reference/agent-contract.md").partition("## Environment")[2]
    fence = FENCE.search(section)
    assert fence
    listed = fence[2].split()
    others = ["ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "EDITOR", "SSH_AUTH_SOCK"]

    assert sorted(environment(dict.fromkeys([*listed, *others], "x"))) == sorted(listed)


def test_every_name_for_templates_is_listed() -> None:
    text = read("docs/reference/prompt-templates.md")
    names = [*template.FULL, *template.KNOWN, template.PROMPT]

    assert [name for name in names if f"`{name}`" not in text] == []


@cache
def functions_of(path: str) -> frozenset[str]:
    """The names of the functions of a file, those in classes included."""
    file = ROOT / path
    if not file.exists():
        return frozenset()
    tree = ast.parse(file.read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, kinds))


def test_every_test_named_in_the_conformance_table_exists() -> None:
    named = TEST_NAME.findall(read("docs/conformance.md"))

    assert named
    assert [f"{path}::{test}" for path, test in named if test not in functions_of(path)] == []


def test_the_conformance_table_has_a_row_per_requirement() -> None:
    rows = [row[0] for row in ROW.findall(read("docs/conformance.md"))]

    assert rows == [f"{letter}{n}" for letter, last in EVERY.items() for n in range(1, last + 1)]


@pytest.mark.parametrize("name", REQUIRED)
def test_what_works_names_what_shows_it(name: str) -> None:
    row = next(r for r in ROW.findall(read("docs/conformance.md")) if r[0] == name)

    assert row[2] in {"yes", "in part"}
    assert TEST_NAME.search(row[3])
