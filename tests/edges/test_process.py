from __future__ import annotations

import asyncio
import contextlib
import gc
import hashlib
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.project import wait_until

from ralph.domain.answer import Ended
from ralph.process import (
    Child,
    Finished,
    Guard,
    environment,
    family,
    kill_tagged,
    pipes,
    run,
    running,
    sweep_orphans,
    table,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.process import Input

IGNORES = "trap '' INT TERM HUP; "
SOURCE = Path(__file__).parents[2] / "src"


def survivors(mark: str) -> list[int]:
    """Living processes that carry this value of MARK."""
    found = []
    for pid, entry in table.everyone().items():
        with contextlib.suppress(OSError):
            raw = Path(f"/proc/{pid}/environ").read_bytes()
            if f"MARK={mark}".encode() in raw.split(b"\0") and not entry.dead:
                found.append(pid)
    return found


def until_dead(mark: str) -> None:
    deadline = time.monotonic() + 20
    while survivors(mark) and time.monotonic() < deadline:
        time.sleep(0.01)


def zombies() -> list[int]:
    me = os.getpid()
    return [pid for pid, entry in table.everyone().items() if entry.parent == me and entry.dead]


@pytest.fixture
def mark(tmp_path: Path) -> Iterator[str]:
    """A name the children carry; whatever a test does to them, none may be left."""
    # a Ralph that another test killed may have left its children to us, and they end when they end
    before = table.everyone().keys()
    yield str(tmp_path)
    assert survivors(str(tmp_path)) == []
    assert [one for one in zombies() if one not in before] == []
    assert family.children == {}


class Starter:
    def __init__(self, folder: Path, mark: str) -> None:
        self.folder = folder
        self.env = environment(os.environ, add={"MARK": mark})

    def child(self, *argv: str, **options: object) -> Child:
        return Child(argv, self.folder, self.env, **options)  # type: ignore[arg-type]

    def sh(self, script: str, **options: object) -> Finished:
        return asyncio.run(run(self.child("/bin/sh", "-c", script, **options)))

    def python(self, script: str, **options: object) -> Finished:
        argv = (sys.executable, "-I", "-S", "-c", script)
        return asyncio.run(run(self.child(*argv, **options)))


@pytest.fixture
def start(tmp_path: Path, mark: str) -> Starter:
    return Starter(tmp_path, mark)


def test_output_exit_code_and_errors_in_one_stream(start: Starter) -> None:
    done = start.sh("echo out; echo err >&2; exit 3")
    assert (done.ended, done.exit_code) == (Ended.EXITED, 3)
    assert done.head == b"out\nerr\n"
    assert done.output_bytes == 8
    assert done.sha256 == hashlib.sha256(b"out\nerr\n").hexdigest()
    assert done.error == ""


def test_runs_in_the_folder_with_only_the_given_environment(start: Starter) -> None:
    done = start.sh("pwd; env | cut -d= -f1 | grep -v -e PWD -e OLDPWD -e '^_$' -e SHLVL")
    folder, *names = done.text(1 << 20).splitlines()
    assert folder == str(start.folder)
    assert set(names) == start.env.keys() | {"RALPH_CHILD", "RALPH_OWNER"}


def test_the_environment_is_an_allow_list() -> None:
    allowed = {"PATH": "p", "LC_ALL": "C", "https_proxy": "h", "SSL_CERT_FILE": "s", "CI": "1"}
    secret = {"GH_TOKEN": "t", "A_KEY": "k", "A_SECRET": "s", "GIT_DIR": "g", "RALPH_HOME": "r"}
    assert environment(allowed | secret) == allowed
    named = environment(secret, extra_names=("A_KEY", "MISSING"), add={"MINE": "1"})
    assert named == {"A_KEY": "k", "MINE": "1"}


def finished(head: bytes, tail: bytes, size: int) -> Finished:
    return Finished(Ended.EXITED, 0, 0, size, head, tail)


@pytest.mark.parametrize(
    ("head", "tail", "size", "limit", "text"),
    [
        (b"abc", b"", 3, 100, "abc"),
        (b"abc", b"def", 6, 100, "abcdef"),
        (b"abc", b"def", 6, 6, "abcdef"),
        (b"abc", b"xyz", 10, 100, "abc\n[… 4 bytes left out …]\nxyz"),
        (b"abcdefgh", b"", 8, 4, "a\n[… 4 bytes left out …]\nfgh"),
        (b"abcd", b"wxyz", 20, 4, "a\n[… 16 bytes left out …]\nxyz"),
        (b"abcd", b"yz", 20, 5, "abc\n[… 15 bytes left out …]\nyz"),
        (b"a\xff", b"", 2, 10, "a\ufffd"),
    ],
)
def test_text_says_what_it_leaves_out(
    head: bytes, tail: bytes, size: int, limit: int, text: str
) -> None:
    assert finished(head, tail, size).text(limit) == text


def test_a_missing_program_is_a_result(start: Starter) -> None:
    done = asyncio.run(run(start.child("no-such-program", "x")))
    assert (done.ended, done.exit_code) == (Ended.NOT_STARTED, 127)
    assert done.error == "`no-such-program` was not found."


def test_a_missing_interpreter_is_a_result(start: Starter) -> None:
    script = start.folder / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    done = asyncio.run(run(start.child("./script")))
    assert (done.ended, done.exit_code) == (Ended.NOT_STARTED, 127)
    assert done.error == "`./script` needs a program that was not found."


def test_what_cannot_be_executed_is_a_result(start: Starter) -> None:
    (start.folder / "data").write_text("x")
    done = asyncio.run(run(start.child("./data")))
    assert (done.ended, done.exit_code) == (Ended.NOT_STARTED, 126)
    assert done.error == "`./data` may not be executed."


def test_a_missing_folder_is_a_result(start: Starter) -> None:
    gone = start.folder / "gone"
    done = asyncio.run(run(Child(("true",), gone, start.env)))
    assert (done.ended, done.exit_code) == (Ended.NOT_STARTED, 126)
    assert str(gone) in done.error


@pytest.mark.parametrize("argv", [(), ("echo", "a\0b")])
def test_a_senseless_command_is_a_result(start: Starter, argv: tuple[str, ...]) -> None:
    done = asyncio.run(run(start.child(*argv)))
    assert (done.ended, done.exit_code) == (Ended.NOT_STARTED, 126)
    assert "could not be started" in done.error


def test_a_signal_of_its_own_is_told_from_an_exit(start: Starter) -> None:
    done = start.sh("kill -KILL $$")
    assert (done.ended, done.exit_code) == (Ended.KILLED, 137)


def test_the_wall_clock_ends_it(start: Starter) -> None:
    done = start.sh("echo begun; sleep 60", wall_seconds=0.2)
    assert (done.ended, done.exit_code) == (Ended.TIMEOUT, 130)
    assert done.head == b"begun\n"


def test_silence_ends_it_but_output_does_not(start: Starter) -> None:
    done = start.sh("for i in 1 2 3 4 5; do echo $i; sleep 0.1; done; sleep 60", idle_seconds=0.4)
    assert done.ended is Ended.IDLE
    assert done.head == b"1\n2\n3\n4\n5\n"


def test_an_interrupt_lets_it_say_goodbye(start: Starter) -> None:
    done = start.sh("trap 'echo bye; exit 7' INT; echo on; sleep 60 & wait", wall_seconds=0.2)
    assert (done.ended, done.exit_code) == (Ended.TIMEOUT, 7)
    assert done.head == b"on\nbye\n"


def test_who_ignores_signals_is_killed(start: Starter) -> None:
    done = start.sh(IGNORES + "while :; do sleep 0.05; done", wall_seconds=0.2, grace_seconds=0.1)
    assert (done.ended, done.exit_code) == (Ended.TIMEOUT, 137)


DAEMON = """
import os, signal, sys, time
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
ready, told = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(told, b"x")
        while True:
            time.sleep(0.01)
            if {talks}: os.write(1, b"y" * 65536)
    os._exit(0)
os.read(ready, 1)
print("parent", flush=True)
{then}
"""


@pytest.mark.parametrize("talks", [True, False], ids=["talking", "silent"])
def test_a_daemon_that_holds_the_pipe_does_not_hold_us(start: Starter, talks: bool) -> None:
    done = start.python(DAEMON.format(talks=talks, then="os._exit(4)"), wall_seconds=60)
    assert (done.ended, done.exit_code) == (Ended.EXITED, 4)
    assert b"parent" in done.head + done.tail


def test_a_daemon_goes_with_a_child_that_is_stopped(start: Starter) -> None:
    script = DAEMON.format(talks=False, then="time.sleep(60)")
    done = start.python(script, wall_seconds=0.5, grace_seconds=0.1)
    assert done.ended is Ended.TIMEOUT


def test_a_daemon_without_our_tag_is_found_by_adoption(start: Starter) -> None:
    pid_file = start.folder / "pid"
    done = start.sh(
        f"env -i setsid -f sh -c '{IGNORES} echo $$ > {pid_file}; exec sleep 60';"
        f"until test -s {pid_file}; do sleep 0.01; done"
    )
    assert done.exit_code == 0
    assert table.entry(int(pid_file.read_text())) is None


def test_a_crowd_that_ignores_signals_is_swept(start: Starter) -> None:
    one = f"setsid -f sh -c '{IGNORES} while :; do sleep 0.05; done';"
    done = start.sh(one * 12 + "wait", wall_seconds=60)
    assert done.exit_code == 0


def test_a_leftover_may_end_by_itself_on_term(start: Starter) -> None:
    note = start.folder / "note"
    done = start.sh(
        f'setsid -f sh -c \'trap "echo term > {note}; exit" TERM; echo up > {note}.up;'
        f" while :; do sleep 0.01; done'; until test -s {note}.up; do sleep 0.01; done"
    )
    assert done.exit_code == 0
    assert note.read_text() == "term\n"


def test_two_children_at_once_do_not_sweep_each_other(start: Starter) -> None:
    async def both() -> tuple[Finished, Finished]:
        ready = start.folder / "ready"
        slow = start.child(
            "/bin/sh",
            "-c",
            f"setsid -f sh -c 'echo up > {ready}; sleep 0.4; echo late';"
            f"until test -s {ready}; do sleep 0.01; done; sleep 0.6; echo end",
        )
        quick = start.child(
            "/bin/sh", "-c", f"until test -s {ready}; do sleep 0.01; done; setsid -f sleep 60"
        )
        one, two = await asyncio.gather(run(slow), run(quick))
        return one, two

    slow, quick = asyncio.run(both())
    assert slow.head == b"late\nend\n"
    assert quick.exit_code == 0


def test_other_programs_of_ours_are_left_alone(start: Starter) -> None:
    """As git's: in a group of their own, or in a session of their own from another thread."""
    begun: list[subprocess.Popen[bytes]] = []

    def other(script: str, **options: Any) -> None:
        begun.append(subprocess.Popen(["sh", "-c", script], **options))

    async def scene() -> Finished:
        child = start.child("/bin/sh", "-c", "sleep 0.1; setsid -f sleep 60; sleep 0.2")
        task = asyncio.create_task(run(child))
        await asyncio.sleep(0)
        other("exec sleep 60", process_group=0)
        with ThreadPoolExecutor(1) as pool:
            pool.submit(other, "exec sleep 60", start_new_session=True).result()
            pool.submit(other, "exit 9", start_new_session=True).result()
            return await task

    assert asyncio.run(scene()).exit_code == 0
    living, in_session, ended = begun
    assert (living.poll(), in_session.poll(), ended.wait()) == (None, None, 9)
    for process in (living, in_session):
        process.kill()
        process.wait()


def test_cancelling_stops_it_and_is_passed_on(start: Starter) -> None:
    async def cancelled() -> None:
        task = asyncio.create_task(run(start.child("/bin/sh", "-c", "setsid sleep 60 & wait")))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())


def test_cancelling_twice_does_not_wait_for_the_grace(start: Starter) -> None:
    async def cancelled() -> float:
        child = start.child("/bin/sh", "-c", IGNORES + "sleep 60 & wait", grace_seconds=50)
        task = asyncio.create_task(run(child))
        await asyncio.sleep(0.1)
        begun = time.monotonic()
        task.cancel()
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - begun

    assert asyncio.run(cancelled()) < 40


def test_a_large_input_arrives(start: Starter) -> None:
    data = os.urandom(1 << 20) * 10
    done = start.sh("sha256sum", stdin=data)
    assert done.head.split()[0].decode() == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("script", ["exit 0", "exec 0<&-; echo on", "sleep 0.1"])
def test_an_input_nobody_reads_does_not_hang(start: Starter, script: str) -> None:
    assert start.sh(script, stdin=b"x" * (10 << 20)).exit_code == 0


def test_without_input_there_is_nothing_to_read(start: Starter) -> None:
    assert start.sh("wc -c").head.strip() == b"0"


def test_a_closed_output_is_not_the_end(start: Starter) -> None:
    done = start.sh("echo on; exec >&- 2>&-; sleep 0.2; echo x > later; exit 5")
    assert (done.exit_code, done.head) == (5, b"on\n")
    assert (start.folder / "later").exists()


def test_much_output_is_counted_hashed_and_bounded(start: Starter) -> None:
    log = start.folder / "logs" / "out.log"
    size = 100 << 20
    done = start.sh(f"head -c {size} /dev/zero; echo end", log=log, log_cap=1 << 20)
    assert done.output_bytes == size + 4
    assert done.log == str(log)
    assert log.stat().st_size == 1 << 20
    assert (len(done.head), len(done.tail)) == (64 << 10, 64 << 10)
    assert done.tail.endswith(b"\0end\n")
    whole = hashlib.sha256()
    for _ in range(100):
        whole.update(bytes(1 << 20))
    whole.update(b"end\n")
    assert done.sha256 == whole.hexdigest()


def test_every_byte_of_strange_output_reaches_the_log(start: Starter) -> None:
    data = bytes(range(256)) * 1000 + b"\xff\xfe\0\x80" + b"l" * (20 << 20)
    (start.folder / "data").write_bytes(data)
    seen = bytearray()
    log = start.folder / "log"
    done = start.sh("cat data", log=log, on_output=seen.extend)
    assert log.read_bytes() == data
    assert seen == data
    assert done.head + data[len(done.head) : -len(done.tail)] + done.tail == data
    assert "\ufffd" in done.text(1 << 20)


def test_a_log_that_cannot_be_written_is_said_and_no_more(start: Starter) -> None:
    (start.folder / "file").write_text("")
    done = start.sh("echo on", log=start.folder / "file" / "log")
    assert (done.exit_code, done.head, done.log) == (0, b"on\n", "")
    assert "could not be written" in done.error


def test_a_full_disk_does_not_stop_the_child(
    start: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, real = start.folder / "log", os.open

    def full(path: Path, flags: int, mode: int = 0o777) -> int:
        return real("/dev/full", os.O_WRONLY) if path == log else real(path, flags, mode)

    monkeypatch.setattr(os, "open", full)
    done = start.sh("echo on", log=log)
    assert (done.exit_code, done.head, done.log) == (0, b"on\n", "")
    assert "No space left" in done.error


@pytest.mark.parametrize("kind", ["link", "pipe", "file"])
def test_a_log_is_never_written_through_what_is_in_its_place(start: Starter, kind: str) -> None:
    log, other = start.folder / "log", start.folder / "other"
    other.write_text("mine")
    match kind:
        case "link":
            log.symlink_to(other)
        case "pipe":
            os.mkfifo(log)
        case _:
            os.link(other, log)
    start.sh("echo on", log=log)
    assert log.read_text() == "on\n"
    assert not log.is_symlink()
    assert other.read_text() == "mine"


def test_what_is_in_the_pipe_at_the_end_is_taken_once() -> None:
    async def scene() -> list[bytes]:
        taken: list[bytes] = []
        pipe = pipes.Pipes(b"", taken.append, stays=False)
        os.write(pipe.child_output, b"last words")
        pipe.drain()
        pipe.drain()
        pipe.close()
        pipe.drain()
        return taken

    assert asyncio.run(scene()) == [b"last words"]


def handles() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_many_children_leave_no_handles_and_no_zombies(start: Starter) -> None:
    async def many() -> tuple[int, int]:
        await run(start.child("true"))
        gc.collect()  # what earlier tests left open must not close in between
        before = handles()
        for _ in range(20):
            await asyncio.gather(
                run(start.child("true")),
                run(start.child("nope")),
                run(start.child("sh", "-c", "setsid -f true; echo hi", stdin=b"x")),
            )
        return before, handles()

    before, after = asyncio.run(many())
    assert after == before


def test_works_without_pidfds(start: Starter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "pidfd_open")
    done = start.sh("echo on; exit 6")
    assert (done.exit_code, done.head) == (6, b"on\n")


def test_elsewhere_the_group_is_killed(start: Starter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(family, "LINUX", False)
    monkeypatch.setattr(family, "adopt", lambda: False)
    monkeypatch.setattr(family, "relatives", lambda _own, _root: [])
    done = start.sh(IGNORES + "sleep 60 & echo on; exit 6")
    assert (done.exit_code, done.head) == (6, b"on\n")
    done = start.sh(IGNORES + "sleep 60 & wait", wall_seconds=0.2, grace_seconds=0.1)
    assert (done.ended, done.exit_code) == (Ended.TIMEOUT, 137)
    # Elsewhere the orphans are not adopted by us; here they have been.
    until_dead(start.env["MARK"])
    family.reap()


@pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning")
def test_who_cannot_be_killed_is_named(start: Starter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "KILL_SECONDS", 0.05)
    monkeypatch.setattr(running._Running, "_kill_all", lambda _self: asyncio.sleep(0))
    monkeypatch.setattr(running._Running, "_signal_group", lambda *_: None)
    monkeypatch.setattr(running._Running, "_signal_inside", lambda *_: [])

    async def scene() -> tuple[Finished, int]:
        done = await run(start.child("sleep", "60", wall_seconds=0.1, grace_seconds=0.1))
        return done, next(iter(survivors(start.env["MARK"])))

    done, pid = asyncio.run(scene())
    assert (done.ended, done.exit_code) == (Ended.TIMEOUT, None)
    assert done.error == f"Process {pid} cannot be killed; end it by hand."
    gc.collect()
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def test_inside_another_child_both_tags_are_kept(
    start: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RALPH_CHILD", "outer")
    done = start.sh("echo $RALPH_CHILD $RALPH_OWNER")
    tags, owner = done.text(1000).split()
    assert tags.startswith("outer/")
    assert owner.split(":")[0] == str(os.getpid())


def leftover(mark: str, **variables: str) -> subprocess.Popen[bytes]:
    env = {**os.environ, "MARK": mark, **variables}
    script = IGNORES + "echo up; exec sleep 60"
    process = subprocess.Popen(["sh", "-c", script], env=env, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.read(3)
    process.stdout.close()
    return process


def end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def test_killing_by_tag_takes_only_what_has_it(mark: str) -> None:
    marked, other = leftover(mark, RALPH_CHILD="a/b"), leftover(mark, RALPH_CHILD="c")
    try:
        assert kill_tagged("b") == 1
        assert marked.wait() == -signal.SIGKILL
        assert other.poll() is None
        assert kill_tagged("") == 0
    finally:
        end(other)


def dead_owner(namespace: str | None = None) -> str:
    process = subprocess.Popen(["true"])
    process.wait()
    return f"{process.pid}:1:{table.pid_namespace() if namespace is None else namespace}"


def test_what_a_dead_ralph_left_is_swept(mark: str) -> None:
    process = leftover(mark, RALPH_OWNER=dead_owner())
    assert sweep_orphans() >= 1
    assert process.wait() == -signal.SIGKILL


def test_a_number_used_again_does_not_keep_it(mark: str) -> None:
    process = leftover(mark, RALPH_OWNER=f"{os.getpid()}:1:{table.pid_namespace()}")
    assert sweep_orphans() >= 1
    assert process.wait() == -signal.SIGKILL


@pytest.mark.parametrize("kind", ["living", "another container's", "nonsense", "another user's"])
def test_what_is_not_a_dead_ralphs_is_left_alone(
    mark: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = {
        "living": family.owner(os.getpid()),
        "another container's": dead_owner("1"),
        "nonsense": "x:y",
        "another user's": dead_owner(),
    }[kind]
    if kind == "another user's":
        monkeypatch.setattr(os, "geteuid", lambda: 54321)
    process = leftover(mark, RALPH_OWNER=owner)
    try:
        sweep_orphans()
        assert process.poll() is None
    finally:
        monkeypatch.undo()
        end(process)


RALPH = """
import asyncio, os, sys
from pathlib import Path
from ralph.process import Child, Finished, Guard, environment, run
with Guard():
    env = environment(os.environ, add={"MARK": sys.argv[1]})
    script = "trap '' INT TERM; setsid -f sleep 60; echo up; sleep 60"
    tell = lambda data: os.write(1, data)
    asyncio.run(run(Child(("sh", "-c", script), Path("."), env, on_output=tell)))
"""


def test_the_guard_sweeps_when_ralph_itself_is_killed(mark: str, tmp_path: Path) -> None:
    def adopted() -> set[int]:
        family.reap()
        return {one.pid for one in family.orphans()}

    before = adopted()  # a server of other tests may run
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    ralph = subprocess.Popen(
        [sys.executable, "-c", RALPH, mark],
        cwd=tmp_path,
        env=env,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    with ralph:
        assert ralph.stdout is not None
        assert ralph.stdout.read(3) == b"up\n"
        assert len(survivors(mark)) >= 2
        ralph.kill()
    until_dead(mark)
    wait_until(lambda: not adopted() - before, "the guard to be waited for")


def test_a_guard_that_is_not_needed_goes_quietly(start: Starter) -> None:
    with Guard() as guard:
        assert start.sh("echo on").head == b"on\n"
        assert guard._process is not None
        assert guard._process.poll() is None
    assert guard._process.returncode == 0


# Talking to a child that runs


def test_a_child_can_be_told_more_while_it_runs(start: Starter) -> None:
    said: list[bytes] = []
    held: list[Input] = []

    def answer(data: bytes) -> None:
        said.append(data)
        if b"one" in data:
            held[0].send(b"two\n")
        if b"two" in data:
            held[0].end_input()

    done = start.sh("cat", stdin=b"one\n", on_start=held.append, on_output=answer)
    assert done.head == b"one\ntwo\n"
    assert done.exit_code == 0


def test_much_can_be_told_before_the_child_reads(start: Starter) -> None:
    much = b"x" * (3 << 20)

    def tell(child: Input) -> None:
        child.send(much)
        child.send(b"y")
        child.end_input()
        child.send(b"too late")

    done = start.sh("wc -c", on_start=tell)
    assert int(done.head) == len(much) + 1


def test_a_child_that_does_not_listen_loses_nothing_but_the_words(start: Starter) -> None:
    def tell(child: Input) -> None:
        child.send(b"x" * (3 << 20))

    done = start.sh("exec <&-; echo deaf; sleep 0.1", on_start=tell)
    assert done.head == b"deaf\n"
    assert done.exit_code == 0


IN_THE_BACKGROUND = """\
import asyncio, os, signal, sys
from ralph.process import Child, environment, run
told = "import signal; print(*map(signal.getsignal, (signal.SIGINT, signal.SIGHUP)))"
child = Child((sys.executable, "-c", told), os.getcwd(), environment(os.environ))
print(asyncio.run(run(child)).text(1000))
os.kill(os.getpid(), signal.SIGINT)
print("still there")
"""


def test_what_ralph_ignores_its_children_do_not(tmp_path: Path) -> None:
    """As with `nohup ralph run &`: tests that interrupt themselves would wait for ever."""
    done = subprocess.run(
        ("/bin/sh", "-c", 'trap "" INT HUP; exec "$0" -c "$1"', sys.executable, IN_THE_BACKGROUND),
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        timeout=30,
    )
    assert done.returncode == 0, done.stderr
    assert "default_int_handler" in done.stdout
    assert "SIG_IGN" not in done.stdout
    assert "still there" in done.stdout
