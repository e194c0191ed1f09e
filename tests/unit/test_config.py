from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.support.chance import examples
from tests.support.document_h import DOCUMENT_H

from ralph.config import home, load, settings_reference, values
from ralph.domain.errors import ConfigError
from ralph.domain.settings import (
    AgentSettings,
    GutterSettings,
    LoopSettings,
    OnEscalation,
    Sandbox,
    Settings,
    VerificationSettings,
    Workspaces,
)
from ralph.domain.task import shell

if TYPE_CHECKING:
    from collections.abc import Callable

    from ralph.config import Loaded

    Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(text: str) -> Path:
        (tmp_path / "ralph.yaml").write_bytes(text.encode("utf-8", "surrogatepass"))
        return tmp_path

    return write


def plain(root: Path, **environ: str) -> Loaded:
    return load(root, environ=environ)


def message(root: Path, **environ: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load(root, environ=environ)
    text = str(caught.value)
    assert len(text.splitlines()) <= 3
    return text


def test_without_anything_the_defaults_hold(tmp_path: Path) -> None:
    loaded = plain(tmp_path)
    assert loaded.settings == Settings()
    assert loaded.file is None
    assert loaded.notes == ()
    assert set(loaded.provenance.values()) == {"default"}
    assert set(loaded.provenance) == set(values(Settings()))


def test_the_example_of_document_h_loads_as_it_is(write: Write) -> None:
    loaded = plain(write(DOCUMENT_H))
    chosen = loaded.settings
    assert chosen.tasks.backend == "local"
    assert chosen.claude.command == ("claude",)
    assert chosen.verification.commands == (("npm", "run", "typecheck"), ("npm", "test"))
    assert chosen.loop.max_minutes_per_iteration == 20
    assert chosen.safety.allowed_commands == ("npm", "go", "git")
    assert chosen.safety.sandbox is Sandbox.REQUIRE
    assert loaded.provenance["loop.gutter.max_churn_commits"] == "ralph.yaml:25"
    assert loaded.provenance["verification.commands"] == "ralph.yaml:17"
    assert loaded.provenance["loop.max_cost"] == "default"


def test_flags_beat_the_environment_which_beats_the_file(write: Write) -> None:
    root = write("loop:\n  max_iterations: 1\n  max_cost: 1\n  max_failures: 1\n")
    environ = {"RALPH_LOOP__MAX_ITERATIONS": "2", "RALPH_LOOP__MAX_COST": "2.5"}
    loaded = load(root, environ=environ, flags={"loop.max_iterations": 3, "loop.max_cost": None})
    loop = loaded.settings.loop
    assert (loop.max_iterations, loop.max_cost, loop.max_failures) == (3, 2.5, 1)
    assert loaded.provenance["loop.max_iterations"] == "flag --max-iterations"
    assert loaded.provenance["loop.max_cost"] == "environment RALPH_LOOP__MAX_COST"
    assert loaded.provenance["loop.max_failures"] == "ralph.yaml:4"


def test_flags_carry_their_own_names(tmp_path: Path) -> None:
    flags: dict[str, object] = {
        "repo.workspace": Workspaces.WORKTREE,
        "verification.commands": ["make test"],
        "agent": "mine",
        "agents.mine.command": "my-agent --fast",
    }
    loaded = load(tmp_path, environ={}, flags=flags)
    assert loaded.settings.repo.workspace is Workspaces.WORKTREE
    assert loaded.settings.verification.commands == (shell("make test"),)
    assert loaded.settings.agents == {"mine": AgentSettings(command=shell("my-agent --fast"))}
    assert loaded.provenance["repo.workspace"] == "flag --worktree"
    assert loaded.provenance["verification.commands"] == "flag --verify"
    assert loaded.provenance["agents.mine.command"] == "flag --agent-command"
    assert loaded.provenance["agent"] == "flag --agent"


def test_short_names_in_the_environment_are_honoured(tmp_path: Path) -> None:
    loaded = plain(tmp_path, MAX_ITERATIONS="7", STUCK_THRESHOLD="4")
    assert loaded.settings.loop.max_iterations == 7
    assert loaded.settings.loop.gutter.max_same_failure == 4
    assert loaded.provenance["loop.max_iterations"] == "environment MAX_ITERATIONS"


def test_a_raised_threshold_has_room(tmp_path: Path) -> None:
    """Limits that nobody has set would otherwise be reached before it."""
    loop = plain(tmp_path, STUCK_THRESHOLD="6").settings.loop
    assert (loop.max_attempts, loop.max_failures, loop.no_progress_iterations) == (6, 8, 6)

    told = plain(tmp_path, STUCK_THRESHOLD="6", RALPH_LOOP__MAX_ATTEMPTS="4")
    assert told.settings.loop.max_attempts == 4
    assert told.provenance["loop.max_failures"] == "follows loop.gutter.max_same_failure"

    assert plain(tmp_path, STUCK_THRESHOLD="2").settings.loop == replace(
        LoopSettings(), gutter=GutterSettings(max_same_failure=2)
    )


def test_the_long_name_beats_the_short_one(tmp_path: Path) -> None:
    loaded = plain(tmp_path, MAX_ITERATIONS="7", RALPH_LOOP__MAX_ITERATIONS="8")
    assert loaded.settings.loop.max_iterations == 8


def test_environment_reaches_nested_sections_and_every_kind_of_value(tmp_path: Path) -> None:
    chosen = plain(
        tmp_path,
        RALPH_AGENT="123",
        RALPH_LOOP__GUTTER__MAX_SAME_FAILURE="9",
        RALPH_LOOP__ON_ESCALATION="park",
        RALPH_VERIFICATION__BASE="false",
        RALPH_VERIFICATION__COMMANDS="npm test",
        RALPH_VERIFICATION__SETUP='[["npm", "ci"], "make deps"]',
        RALPH_VERIFICATION__ENV="TOKEN, OTHER",
        RALPH_CLAUDE__COMMAND="npx claude",
        RALPH_AGENTS__MINE__COMMAND="run-it --now",
    ).settings
    assert chosen.agent == "123"
    assert chosen.loop.gutter.max_same_failure == 9
    assert chosen.loop.on_escalation is OnEscalation.PARK
    assert chosen.verification == replace(
        VerificationSettings(),
        base=False,
        commands=(shell("npm test"),),
        setup=(("npm", "ci"), shell("make deps")),
        env=("TOKEN", "OTHER"),
    )
    assert chosen.claude.command == ("npx", "claude")
    assert chosen.agents["mine"].command == shell("run-it --now")


def test_ralphs_own_variables_and_empty_ones_are_not_settings(tmp_path: Path) -> None:
    loaded = plain(
        tmp_path,
        RALPH_HOME="/x",
        RALPH_CHILD="1",
        RALPH_RUN_ID="r",
        RALPH_LOOP__MAX_COST="",
        MAX_ITERATIONS="",
    )
    assert loaded.settings == Settings()


def test_the_team_s_database_has_a_short_name(tmp_path: Path) -> None:
    loaded = plain(tmp_path, RALPH_DATABASE_URL="postgresql://ada@db/ralph")
    assert loaded.settings.ledger.url == "postgresql://ada@db/ralph"
    assert loaded.provenance["ledger.url"] == "environment RALPH_DATABASE_URL"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("loop:\n  max_iteration: 3\n", ("ralph.yaml:2", "Did you mean loop.max_iterations?")),
        ("max_cost: 3\n", ("ralph.yaml:1", "Did you mean loop.max_cost?")),
        ("\nlop:\n  max_cost: 3\n", ("ralph.yaml:2", "Did you mean loop?")),
        ("loop:\n  gutter: {max_same: 2}\n", ("ralph.yaml:2", "loop.gutter.max_same_failure?")),
        ("repo: {zzz: 1}\n", ("repo.zzz is not a setting", "Known here: root, branch_prefix")),
        ("agents:\n  a:\n    comand: [x]\n", ("ralph.yaml:3", "Did you mean agents.a.command?")),
    ],
)
def test_unknown_keys_name_the_line_and_a_better_one(
    write: Write, text: str, expected: tuple[str, str]
) -> None:
    found = message(write(text))
    for part in expected:
        assert part in found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "loop:\n  max_iterations: ten\n",
            "ralph.yaml:2: loop.max_iterations must be a whole number, found the text 'ten'.",
        ),
        ("loop: {max_iterations: 1.5}", "must be a whole number, found the number 1.5"),
        ("loop: {max_iterations: yes}", "found the truth value true"),
        ("loop: {max_iterations: 1:30}", "found the text '1:30'"),
        ("loop: {max_iterations:}", "found nothing"),
        ("loop: {max_minutes: soon}", "loop.max_minutes must be a number"),
        ("loop: {max_minutes: .inf}", "must be a finite number"),
        ("loop: {max_minutes: -1}", "loop.max_minutes must be 0 or more, found the number -1"),
        ("loop: {max_iterations: 0}", "loop.max_iterations must be more than 0"),
        ("loop: {gutter: {similarity: 1.1}}", "loop.gutter.similarity must be at most 1"),
        ("loop: {max_minutes: 1.0e+999}", "must be a finite number"),
        ("loop: {on_escalation: shout}", "must be one of auto, ask, park, abort"),
        ("loop: {on_escalation: [ask]}", "must be one of auto, ask, park, abort, found a list"),
        ("loop: 5", "loop must be a section with keys, found the number 5"),
        ("- 1", "the file must be a section with keys, found a list"),
        ("agent: 5", "agent must be text, found the number 5"),
        ("agent: {a: b}", "agent must be text, found a section"),
        ('agent: "a\\0b"', "agent contains characters that no program accepts"),
        ('agent: "\\ud800"', "agent contains characters that no program accepts"),
        ("repo: {protected: a}", "repo.protected must be a list of texts, found the text 'a'"),
        ("repo: {protected: [a, 1]}", "repo.protected[1] must be text"),
        ("safety: {sandbox: 1}", "safety.sandbox must be one of auto, require, off"),
        ("verification: {commands: npm test}", "verification.commands must be a list of commands"),
        ("verification:\n  commands:\n    - []\n", "ralph.yaml:3: verification.commands[0] is an"),
        ("verification: {commands: ['  ']}", "verification.commands[0] is an empty command"),
        ("verification: {commands: [['']]}", "verification.commands[0] is an empty command"),
        ("verification: {commands: [{a: b}]}", "must be a command (text or a list)"),
        ('claude: {command: "a \'b"}', "claude.command cannot be split into words"),
        ("claude: {command: []}", "claude.command is an empty command"),
    ],
)
def test_wrong_values_say_what_was_expected_and_found(
    write: Write, text: str, expected: str
) -> None:
    found = message(write(text))
    assert expected in found
    assert found.startswith("ralph.yaml:")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("agent: &a x\nrepo: {branch: *a}\n", "ralph.yaml:2: this YAML cannot be used: aliases"),
        ("a: " + "[" * 40 + "]" * 40, "nested deeper than 32 levels"),
        ("[" * 100_000, "nested deeper than 32 levels"),
        (
            "loop:\n  max_cost: 1\n  max_cost: 2\n",
            "'max_cost' is given twice, first at ralph.yaml:2",
        ),
        ("agent: [unclosed\n", "ralph.yaml:2: this YAML cannot be used"),
        ("agent: x\n---\nagent: y\n", "ralph.yaml:2: this YAML cannot be used"),
        ("agent: !!python/object:os.system x", "is not allowed"),
        ("agent: !mine {a: 1}", "is not allowed"),
        ("agent: !!bool perhaps", "is not a usable value"),
        ("agent: " + "9" * 5000, "is not a usable value"),
        ("? [a]\n: 1\n", "a key must be a word"),
        ("agent: \x07", "this YAML cannot be used"),
        ("#" * (256 * 1024 + 1), "is larger than 256 KB"),
    ],
)
def test_yaml_that_is_not_wanted_is_refused(write: Write, text: str, expected: str) -> None:
    assert expected in message(write(text))


def test_other_encodings_are_refused_with_the_line(tmp_path: Path) -> None:
    (tmp_path / "ralph.yaml").write_bytes(b"# fine\nagent: \xff\n")
    assert message(tmp_path) == "ralph.yaml:2: this is not UTF-8 text."


def test_something_that_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ralph.yaml").mkdir()
    assert "is not a file" in message(tmp_path)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("RALPH_LOOP__MAX_ITERATION", "3", "Did you mean loop.max_iterations?"),
        ("RALPH_LOOP__GUTTER", "3", "loop.gutter must be a section with keys"),
        ("RALPH_LOOP__MAX_COST__X", "3", "sets a key inside ralph.yaml:1, which is not a section"),
        ("RALPH_LOOP__MAX_ATTEMPTS", "many", "must be a whole number, found the text 'many'"),
        ("RALPH_LOOP__MAX_ATTEMPTS", "[", "this YAML cannot be used"),
        ("RALPH_NOWHERE__X", "3", "nowhere is not a setting"),
        ("MAX_ITERATIONS", "-1", "must be more than 0"),
    ],
)
def test_wrong_variables_are_named(write: Write, name: str, value: str, expected: str) -> None:
    found = message(write("loop: {max_cost: 3}\n"), **{name: value})
    assert found.startswith(f"environment {name}: ")
    assert expected in found


def test_sections_without_content_and_byte_order_marks_do_no_harm(write: Write) -> None:
    root = write("\ufeffloop:\n  # max_cost: 3\nagents:\nverification:\n  commands:\n")
    assert plain(root).settings == Settings()
    assert plain(write("")).settings == Settings()


def test_no_commands_is_not_the_same_as_none_given(write: Write) -> None:
    assert plain(write("verification: {commands: []}")).settings.verification.commands == ()


def test_a_file_with_the_other_ending_is_pointed_out(tmp_path: Path) -> None:
    (tmp_path / "ralph.yml").write_text("agent: x\n")
    assert plain(tmp_path).notes == ("ralph.yml is not read: rename it to ralph.yaml",)


def test_a_flag_beyond_all_numbers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"flag --max-iterations: .* finite number"):
        load(tmp_path, environ={}, flags={"loop.max_iterations": 10**400})


def test_every_setting_has_a_meaning() -> None:
    rows = {row.key: row for row in settings_reference()}
    assert set(values(Settings())) <= set(rows)
    assert [key for key, row in rows.items() if not row.meaning] == []
    assert rows["loop.max_iterations"].default == "50"
    assert rows["loop.max_iterations"].meaning == "Iterations per run (MAX_ITERATIONS)."
    assert rows["agents.<name>.command"].default == "[]"
    assert rows["prompts.file"].default == '"PROMPT.md"'
    assert rows["verification.commands"].default == "null"


def test_the_reference_written_as_yaml_gives_the_defaults(write: Write) -> None:
    flat = [row for row in settings_reference() if not row.key.startswith("agents.")]
    lines: dict[str, list[str]] = {}
    for row in flat:
        section, _, name = row.key.rpartition(".")
        lines.setdefault(section, []).append(f"{name}: {row.default}")
    gutter = "{" + ", ".join(lines.pop("loop.gutter")) + "}"
    lines["loop"].append(f"gutter: {gutter}")
    top = lines.pop("")
    text = "\n".join(top + [f"{k}: {{{', '.join(v)}}}" for k, v in lines.items()])
    assert plain(write(text)).settings == Settings()


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"RALPH_HOME": "/data/ralph", "XDG_DATA_HOME": "/x", "HOME": "/h"}, "/data/ralph"),
        ({"XDG_DATA_HOME": "/x", "HOME": "/h"}, "/x/ralph"),
        ({"XDG_DATA_HOME": "relative", "HOME": "/h"}, "/h/.local/share/ralph"),
        ({"HOME": "/h"}, "/h/.local/share/ralph"),
    ],
)
def test_home(environ: dict[str, str], expected: str) -> None:
    assert home(environ) == Path(expected)


def test_a_relative_home_is_refused() -> None:
    with pytest.raises(ConfigError, match="relative path: here"):
        home({"RALPH_HOME": "here"})


_words = st.sampled_from(
    (
        *("loop", "agent", "max_cost", "gutter", "repo", "agents", ": ", "\n", "  ", "- "),
        *("[", "]", "{", "}", "&a ", "*a", "!!int ", "0x_", "._", "1:2", '"', "'", "|", ">"),
        *("#", "%", "\t", "=", "<<"),
    )
)


@settings(
    max_examples=examples(200),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.one_of(st.lists(_words, max_size=30).map("".join).map(str.encode), st.binary(max_size=80))
)
def test_whatever_stands_in_the_file_is_settings_or_a_clear_error(
    tmp_path: Path, raw: bytes
) -> None:
    (tmp_path / "ralph.yaml").write_bytes(raw)
    try:
        loaded = plain(tmp_path)
    except ConfigError as error:
        assert 1 <= len(str(error).splitlines()) <= 3  # noqa: PT017 - both ends are fine
    else:
        assert set(loaded.provenance) == set(values(loaded.settings))


@pytest.mark.parametrize(
    ("key", "value"), [("require", '"best"'), ("ask", '["smell", "smells"]'), ("note", '["x"]')]
)
def test_a_level_or_a_fact_that_does_not_exist_names_those_that_do(
    tmp_path: Path, key: str, value: str
) -> None:
    (tmp_path / "ralph.yaml").write_text(f"verification:\n  {key}: {value}\n")
    with pytest.raises(ConfigError, match=rf"ralph.yaml:2: verification.{key} cannot be") as raised:
        load(tmp_path, environ={})
    assert ("proven" if key == "require" else "test_removed") in str(raised.value)


def test_facts_and_the_required_level_can_be_set(tmp_path: Path) -> None:
    text = "verification: {require: proven, ask: [runner_changed], reject: [smell]}\n"
    (tmp_path / "ralph.yaml").write_text(text)
    found = load(tmp_path, environ={"RALPH_VERIFICATION__NOTE": "flaky,was_red"})
    settings = found.settings.verification
    assert (settings.require, settings.ask, settings.reject) == (
        "proven",
        ("runner_changed",),
        ("smell",),
    )
    assert settings.note == ("flaky", "was_red")
