from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete
from hypothesis import given
from hypothesis import strategies as st

import ralph
from ralph.domain.decision import StopReason, exit_code
from ralph.domain.errors import PlanError, RalphError, RunHeld, UsageError
from ralph.ui.cli import main as module
from ralph.ui.cli.common import print_json
from ralph.ui.cli.main import COMMANDS, GROUPS, cli, enter, say_error

READ_COMMANDS = ("status", "logs", "report", "audit", "inbox", "lint", "config")


def command(name: str) -> click.Command:
    found = cli.get_command(click.Context(cli), name)
    assert found is not None
    return found


def raising(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    """`ralph boom` raises the error."""

    def boom() -> None:
        raise error

    monkeypatch.setitem(COMMANDS, "boom", ("tests.support.nowhere:boom", "For this test."))
    known = module.LazyGroup.get_command

    def get(self: module.LazyGroup, ctx: click.Context, name: str) -> click.Command | None:
        return click.Command("boom", callback=boom) if name == "boom" else known(self, ctx, name)

    monkeypatch.setattr(module.LazyGroup, "get_command", get)


# The table of commands


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_where_the_table_says_and_has_help(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = command(name)
    assert found.name == name
    assert found.help
    assert COMMANDS[name][1].endswith(".")
    assert enter([name, "--help"]) == 0
    assert f"Usage: ralph {name}" in capsys.readouterr().out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_what_it_does(name: str) -> None:
    options = [p for p in command(name).params if isinstance(p, click.Option)]
    assert [option.name for option in options if not option.help] == []


@pytest.mark.parametrize("name", READ_COMMANDS)
def test_every_read_command_has_json(name: str) -> None:
    assert any("--json" in parameter.opts for parameter in command(name).params)


def test_the_parts_of_salvage_that_read_have_json() -> None:
    group = command("salvage")
    assert isinstance(group, click.Group)
    for name in ("list", "show"):
        assert any("--json" in parameter.opts for parameter in group.commands[name].params)


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert enter(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(f"  {name} " in out for name in COMMANDS)


def test_the_commands_of_the_issue_are_there() -> None:
    wanted = (
        "demo init lint run status logs report pause resume stop retry skip revert salvage inbox "
        "answer config"
    )
    assert set(wanted.split()) <= set(COMMANDS)


def test_completion_knows_commands_options_and_choices() -> None:
    complete = ShellComplete(cli, {}, "ralph", "_RALPH_COMPLETE")

    def offered(words: list[str], start: str) -> set[str]:
        return {item.value for item in complete.get_completions(words, start)}

    assert offered([], "st") == {"status", "stop"}
    assert "--max-iterations" in offered(["run"], "--max")
    assert offered(["run", "--on-escalation"], "p") == {"park"}
    assert offered(["salvage"], "re") == {"restore"}


# Exit codes


@pytest.mark.parametrize(
    "arguments",
    [["nonsense"], ["run", "--nonsense"], ["run", "--max-iterations", "0"], ["answer"], []],
)
def test_a_command_line_that_makes_no_sense_exits_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert enter(arguments) == 2
    assert capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "--max-minutes", "abc"], "'abc' is not a number."),
        (["run", "--max-iterations", "x"], "'x' is not a whole number."),
        (["run", "--nonsense"], "No such option"),
        (["nonsense"], "There is no command"),
    ],
)
def test_what_click_complains_of_is_an_error_like_any_other(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    enter(arguments)
    first, usage = capsys.readouterr().err.splitlines()
    assert first.startswith("error: ")
    assert said in first
    assert "ralph" in usage
    assert usage.endswith("--help`.")


@pytest.mark.parametrize("name", COMMANDS)
def test_no_line_of_a_group_is_cut(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = command(name)
    if isinstance(found, click.Group):
        enter([name, "--help"])
        lines = capsys.readouterr().out.splitlines()[1:]
        assert not [line for line in lines if line.endswith("...")]


def test_a_home_in_every_folder_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RALPH_HOME", "kept/here")
    assert enter(["gc"]) == 1
    assert "RALPH_HOME is a relative path: kept/here" in capsys.readouterr().err
    assert not Path("kept").exists()


@pytest.mark.parametrize(
    "arguments", [["Q1"], ["Q1", "1", "--skip"], ["Q1", "--skip", "--retry"], ["Q1", "--text", " "]]
)
def test_an_answer_is_exactly_one(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert enter(["answer", *arguments]) == 2
    assert "error:" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["run", "status", "report", "inbox", "pause", "config", "init"])
def test_outside_a_repository_there_is_a_clear_error(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert enter([name]) == 1
    err = capsys.readouterr().err
    assert "not inside a git repository" in err
    assert "git init" in err
    assert len(err.splitlines()) <= 3


def test_a_folder_that_does_not_exist_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert enter(["-C", "/no/such/folder", "status"]) == 2
    assert "/no/such/folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (PlanError("The plan is broken.", fix="Mend it."), 1),
        (RunHeld("Another Ralph works."), 1),
        (UsageError("That makes no sense."), 2),
        (click.UsageError("That neither."), 2),
        (click.ClickException("Nor that."), 1),
        (KeyboardInterrupt(), 130),
        (click.Abort(), 130),
        (RuntimeError("oops"), 3),
    ],
)
def test_each_error_has_its_exit_code(
    error: BaseException, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    raising(error, monkeypatch)
    assert enter(["boom"]) == code


def test_each_end_of_a_run_has_its_exit_code() -> None:
    codes = {reason: exit_code(reason) for reason in StopReason}
    assert codes[StopReason.GOAL_ACHIEVED] == codes[StopReason.ONCE] == 0
    assert codes[StopReason.ERROR] == 1
    assert codes[StopReason.WAITING_FOR_PERSON] == 5
    assert codes[StopReason.EXPLICIT_STOP] == 6
    assert codes[StopReason.INTERRUPTED] == 130
    rest = set(StopReason) - {reason for reason, code in codes.items() if code != 4}
    assert {
        StopReason.MAX_ITERATIONS,
        StopReason.BUDGET_EXHAUSTED,
        StopReason.MAX_DURATION,
        StopReason.NO_PROGRESS,
        StopReason.CONSECUTIVE_ERRORS,
    } <= rest


def test_a_bug_leaves_a_crash_file_and_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    raising(RuntimeError("first line\nsecond line"), monkeypatch)
    assert enter(["boom"]) == 3
    err = capsys.readouterr().err
    assert "Traceback" not in err
    assert len(err.splitlines()) == 3
    [crash] = (Path(os.environ["RALPH_HOME"]) / "crashes").iterdir()
    assert str(crash) in err
    assert "RuntimeError: first line" in crash.read_text()
    assert "'boom'" in crash.read_text()


def test_a_reader_that_went_away_is_no_error() -> None:
    code = (
        "import os, sys; from ralph.ui.cli.main import enter\n"
        "r, w = os.pipe(); os.close(r); os.dup2(w, 1)\n"
        "sys.exit(enter(['--help']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


# What errors look like


def test_an_error_has_at_most_three_lines(capsys: pytest.CaptureFixture[str]) -> None:
    say_error(RalphError("What\nand where", fix="do this\nand that\nand more"))
    assert capsys.readouterr().err == "error: What\n  and where\n  do this\n"


def test_an_error_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    say_error(RalphError("bad \x1b[2J\x1b]0;x\x07 file"))
    assert capsys.readouterr().err == "error: bad file\n"


@pytest.mark.parametrize("error", RalphError.__subclasses__(), ids=lambda e: e.__name__)
def test_an_error_without_words_says_what_it_is(
    error: type[RalphError], capsys: pytest.CaptureFixture[str]
) -> None:
    say_error(error())
    assert len(capsys.readouterr().err) > len("error: ..")


def test_no_colour_is_honoured_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Tty(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    for setting, escapes in (("", True), ("1", False)):
        monkeypatch.setenv("NO_COLOR", setting)
        terminal = Tty()
        monkeypatch.setattr(sys, "stderr", terminal)
        say_error(RalphError("What"))
        assert ("\x1b" in terminal.getvalue()) is escapes
    monkeypatch.setenv("NO_COLOR", "")
    monkeypatch.setenv("TERM", "dumb")
    terminal = Tty()
    monkeypatch.setattr(sys, "stderr", terminal)
    say_error(RalphError("What"))
    assert "\x1b" not in terminal.getvalue()


def test_a_terminal_that_lacks_characters_is_no_reason_to_fail(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    code = (
        "import sys; from ralph.ui.cli import main\n"
        "main._accept_any_character(); sys.stdout.write('✓ \\udc80 ok')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, env=env, cwd=tmp_path
    )
    assert done.stdout == b"\\u2713 \\udc80 ok"


@given(st.text(st.characters(codec=None), max_size=20))
def test_json_output_is_always_json(text: str) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", out)
        print_json({"said": text})
    out.flush()
    written = out.buffer
    assert isinstance(written, io.BytesIO)
    assert json.loads(written.getvalue()) == {"said": text}


# Starting


def test_the_version_is_answered_before_anything_is_imported() -> None:
    code = (
        "import sys; sys.argv = ['ralph', '--version']\n"
        "from ralph.__main__ import main; main()\n"
        "assert 'click' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"ralph {ralph.__version__}\n"


def test_looking_for_help_imports_no_command() -> None:
    code = (
        "import sys; from ralph.ui.cli.main import enter; enter(['--help'])\n"
        "heavy = {'asyncio', 'rich', 'yaml', 'sqlite3', 'ralph.ui.cli.run', 'msgspec'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_help_shows_every_command_in_one_group() -> None:
    grouped = [name for names in GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(COMMANDS)


@pytest.mark.parametrize("words", [(), ("salvage",)])
def test_without_a_command_there_is_help_and_no_error(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    assert enter([*words]) == 2
    shown = capsys.readouterr()
    assert "error" not in shown.err
    assert "Usage: ralph" in shown.out + shown.err
