"""Everything that the library Apprise reaches: mail, chats, telephones.

It works in a child of its own: whatever it does, or a service does to it, ends there.
"""

from __future__ import annotations

import re
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from ralph.people.notify import filled_in
from ralph.people.notify.programs import last_words, started, trouble
from ralph.process import environment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ralph.domain.notify import Letter

START = (
    "import sys; sys.path[:0] = sys.argv[1:]; from ralph.people.notify.apprise import main; main()"
)
_PART = re.compile(r"[\w.~%+-]{6,}")
"""What may be secret in an address: every part of it that is not short."""


class AppriseJob(Struct, frozen=True):
    """What the child is asked for, on standard input."""

    url: str
    title: str
    text: str


class AppriseChannel:
    def __init__(self, url: str, number: int, environ: Mapping[str, str]) -> None:
        self._url = url
        self._environ = environ
        kind = url.partition("://")[0] if "://" in url else "?"
        self.name = f"apprise {number}: {kind}" if number else f"apprise {kind}"

    def lacks(self) -> str:
        if find_spec("apprise") is None:
            return "Apprise is not installed: pip install '.[notify]' in your clone of Ralph"
        missing = filled_in(self._url, self._environ)[1]
        return f"the environment has no {missing}, which the settings name" if missing else ""

    async def send(self, letter: Letter) -> str:
        url = filled_in(self._url, self._environ)[0]
        work = msgspec.json.encode(AppriseJob(url, letter.title, letter.text))
        command = (sys.executable, "-I", "-c", START, *filter(None, sys.path))
        finished = await started(command, environment(self._environ), work)
        why = trouble(finished)
        return _without_address(last_words(finished) or why, url) if why else ""


def _without_address(text: str, url: str) -> str:
    for part in sorted(_PART.findall(url), key=len, reverse=True):
        text = text.replace(part, "…")
    return text


def main() -> None:
    """In the child: exit 1 and say why, unless the service took it."""
    import logging

    import apprise

    work = msgspec.json.decode(sys.stdin.buffer.read(), type=AppriseJob)
    # what it has to say about a failure, a line each
    logging.basicConfig(level=logging.WARNING, stream=sys.stdout, format="%(message)s")
    service = apprise.Apprise(asset=apprise.AppriseAsset(storage_mode="memory"))
    if not service.add([work.url]):
        sys.exit("Apprise does not understand this address")
    # a message without a text would be refused
    title, text = (work.title, work.text) if work.text else ("", work.title)
    if not service.notify(text, title, body_format=apprise.NotifyFormat.TEXT):
        sys.exit(1)
