"""`python -m ralph.testing SCRIPT.json`: serves the scripts of a file until Ctrl-C."""

from __future__ import annotations

import argparse
import contextlib
import shlex
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ralph.testing.endpoint import Endpoint
from ralph.testing.script import BadModelScript, parse

if TYPE_CHECKING:
    from ralph.testing.endpoint import Request

BAD_SCRIPT = 2
CANNOT = 1
ENDINGS = (signal.SIGINT, signal.SIGTERM)


def main(arguments: list[str]) -> int:
    asked = _parser().parse_args(arguments)
    # Waited for, not handled: a shell starts background programs with SIGINT ignored.
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)
    try:
        scripts = parse(asked.script.read_bytes())
        with contextlib.ExitStack() as stack:
            log = stack.enter_context(asked.log.open("ab", buffering=0)) if asked.log else None

            def write(request: Request) -> None:
                if log is not None:
                    log.write(msgspec.json.encode(request) + b"\n")

            endpoint = stack.enter_context(Endpoint(scripts, port=asked.port, watch=write))
            _introduce(endpoint)
            signal.sigwait(ENDINGS)
    except BadModelScript as error:
        sys.stderr.write(f"{asked.script}: {error}\n")
        return BAD_SCRIPT
    except OSError as error:
        sys.stderr.write(f"The endpoint cannot be started: {error}\n")
        return CANNOT
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m ralph.testing", description=__doc__)
    parser.add_argument("script", type=Path, metavar="SCRIPT.json")
    parser.add_argument("--port", type=int, default=0, help="0, the default, takes a free one")
    parser.add_argument("--log", type=Path, help="append each request to this file, as JSON lines")
    return parser


def _introduce(endpoint: Endpoint) -> None:
    """What to set in the shell in which the agent program is started."""
    for name in endpoint.scripts:
        sys.stdout.write(f"# {name}: {endpoint.url(name)}\n")
        for variable, value in endpoint.environment(name).items():
            sys.stdout.write(f"export {variable}={shlex.quote(value)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
