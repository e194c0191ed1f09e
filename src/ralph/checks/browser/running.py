"""Runs a flow: the server, the browser in a child, the page that shows what was seen."""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

import ralph
from ralph import files
from ralph.checks.browser import child, report
from ralph.checks.browser.reading import read_flow
from ralph.checks.browser.result import FindingKind, FlowResult, FlowSeen, PageFinding
from ralph.checks.browser.serving import serving
from ralph.domain.answer import Ended
from ralph.domain.errors import CheckError
from ralph.process import Child, environment, run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ralph.checks.browser.flow import Flow
    from ralph.checks.carry import Runner
    from ralph.process import Finished

BASELINES = "baselines"
RESULT = "flow.json"
REPORT = "report.html"
SERVER_LOG = "server.log"
BROWSER_LOG = "browser.log"

_PICTURES = ("*.now.png", "*.before.png", "*.difference.png", "failed-step-*.png")
OURS = (*_PICTURES, RESULT, REPORT, SERVER_LOG, BROWSER_LOG, child.SEEN)
_SAID = 1000
_LONGEST_PLACE = 40
_NEEDS = ("playwright", "PIL")
_OWN_VARIABLES = ("RALPH_CHROMIUM", "PLAYWRIGHT_BROWSERS_PATH")
_FOR_PYTHON = ("PYTHONPATH", "VIRTUAL_ENV")


async def run_flow(
    flow: Path,
    root: Path,
    env: Mapping[str, str],
    out: Path,
    *,
    base: Mapping[str, str] | None = None,
    runner: Runner = run,
) -> FlowResult:
    """Run the flow file against the code in `root`; pictures, logs and report go into `out`.

    `env` is for the server, which `runner` runs. `base` is where Chromium is looked for, by
    default our own environment: what a checkout has on its PATH is not trusted to be the browser.
    Whatever the code can do wrong is a finding; a CheckError means that there is no browser here.
    """
    begun = time.monotonic()
    _look_for_packages()
    flow, out = root / flow, cleared(out)
    try:
        read = read_flow(flow, root)
    except CheckError as error:
        name = flow.relative_to(root).as_posix() if flow.is_relative_to(root) else str(flow)
        trouble = FlowSeen((PageFinding(FindingKind.FLOW, str(error).replace("\n", " ")),))
        return _written(FlowResult(name, passed=False), trouble, out, begun)
    baselines = flow.parent / BASELINES
    environ = os.environ if base is None else base
    async with serving(read, root, env, out / SERVER_LOG, runner) as server:
        if server.trouble:
            seen = FlowSeen((PageFinding(FindingKind.SERVER, server.trouble),))
        else:
            seen = await _browse(read, server.url, baselines, out, environ)
            if ended := server.ended():
                seen = _with(seen, PageFinding(FindingKind.SERVER, ended))
    if seen.missing:
        what, _, fix = seen.missing.partition("\n")
        raise CheckError(what, fix=fix)
    result = FlowResult(read.source, passed=False, steps=tuple(s.shown for s in read.steps))
    return _written(result, seen, out, begun)


def _look_for_packages() -> None:
    for name in _NEEDS:
        if importlib.util.find_spec(name) is None:
            package = {"PIL": "Pillow"}.get(name, name)
            raise CheckError(
                f"Browser flows need the Python package {package}, which is not installed.",
                fix="Install it, in your clone of Ralph: pip install '.[browser]'.",
            )


def cleared(folder: Path) -> Path:
    """The folder without what an earlier run left there."""
    out = folder.absolute()
    out.mkdir(parents=True, exist_ok=True)
    for pattern in OURS:
        for path in out.glob(pattern):
            path.unlink()
    return out


async def _browse(
    flow: Flow, url: str, baselines: Path, out: Path, environ: Mapping[str, str]
) -> FlowSeen:
    work = child.BrowserJob(flow.browser, url, flow.steps, str(out), str(baselines))
    with tempfile.TemporaryDirectory(prefix="ralph-", dir=_short(tempfile.gettempdir())) as scratch:
        finished = await run(
            Child(
                # neither the current folder nor PYTHONPATH: the code under test may be there
                argv=(sys.executable, "-E", "-P", "-c", child.START, *_our_place()),
                cwd=Path(scratch),
                env=_environment(environ, scratch),
                stdin=msgspec.json.encode(work),
                log=out / BROWSER_LOG,
                wall_seconds=flow.limit_seconds,
                grace_seconds=1,
            )
        )
    return _told(finished, out, flow.limit_seconds)


def _short(folder: str) -> str:
    """A place for temporary files from where the name of Chromium's socket is not too long."""
    return folder if len(folder) <= _LONGEST_PLACE else "/tmp"  # noqa: S108 - a folder of our own in it


def _our_place() -> tuple[str, ...]:
    """Where this very Ralph is imported from."""
    return (str(Path(ralph.__file__).parents[1]),)


def _environment(environ: Mapping[str, str], scratch: str) -> dict[str, str]:
    """Temporary files and profiles of the browser go into a folder that is removed afterwards."""
    seen = environment(environ, extra_names=_OWN_VARIABLES, add={"TMPDIR": scratch})
    return {name: value for name, value in seen.items() if name not in _FOR_PYTHON}


def _told(finished: Finished, out: Path, limit: float) -> FlowSeen:
    data = files.read(out / child.SEEN)
    seen = msgspec.json.decode(data, type=FlowSeen) if data is not None else None
    late = finished.ended is Ended.TIMEOUT
    # a browser that was ended while it started says that it could not be started
    if seen is not None and not (late and seen.missing):
        return seen
    if late:
        text = f"The flow took longer than {limit:g} s and was ended."
    else:
        said = " ".join(finished.text(_SAID).split())[-300:]
        text = f"The browser ended with exit code {finished.exit_code}: {said}"
    return FlowSeen((PageFinding(FindingKind.BROWSER, text),))


def _with(seen: FlowSeen, finding: PageFinding) -> FlowSeen:
    return msgspec.structs.replace(seen, findings=(*seen.findings, finding))


def _written(result: FlowResult, seen: FlowSeen, out: Path, begun: float) -> FlowResult:
    whole = msgspec.structs.replace(
        result,
        passed=not seen.findings,
        findings=seen.findings,
        pictures=seen.pictures,
        steps_done=seen.steps_done,
        seconds=time.monotonic() - begun,
        report=str(out / REPORT),
    )
    files.write(out / REPORT, report.page(whole, out), durable=False)
    files.write(out / RESULT, msgspec.json.encode(whole), durable=False)
    return whole
