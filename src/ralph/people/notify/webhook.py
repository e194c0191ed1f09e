"""A message as JSON to an address of the user's."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from http.client import HTTPException
from typing import TYPE_CHECKING
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import msgspec

from ralph import __version__
from ralph.people.notify import SECONDS, filled_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ralph.domain.notify import Letter

_SCHEMES = ("http", "https")
_ANSWER = 64 << 10
"""Bytes of an answer that are read."""


class _StayingHandler(HTTPRedirectHandler):
    """A redirect is an answer like any other: what is sent goes where it was meant to go."""

    def redirect_request(self, *_: object) -> None:
        return None


class WebhookChannel:
    def __init__(self, url: str, headers: tuple[str, ...], environ: Mapping[str, str]) -> None:
        self._url = url
        self._headers = headers
        self._environ = environ
        self.name = f"webhook {_host(filled_in(url, environ)[0])}".rstrip()

    def lacks(self) -> str:
        try:
            self._request(b"")
        except ValueError as error:
            return str(error)
        return ""

    async def send(self, letter: Letter) -> str:
        return await _in_a_thread(self._request(body(letter)))

    def _request(self, data: bytes) -> Request:
        """A ValueError says what is wrong with the settings."""
        url = self._filled_in(self._url)
        if not _host(url) or urlsplit(url).scheme not in _SCHEMES:
            raise ValueError("notify.webhook is no address that begins with https:// or http://")
        headers = {"Content-Type": "application/json", "User-Agent": f"ralph/{__version__}"}
        for line in self._headers:
            name, colon, value = self._filled_in(line).partition(":")
            if not colon or not name.strip():
                raise ValueError('a header in notify.headers is not of the form "Name: value"')
            headers[name.strip()] = value.strip()
        try:
            return Request(url, data=data, headers=headers, method="POST")  # noqa: S310 - http only, see above
        except ValueError:
            raise ValueError("notify.webhook is no address") from None

    def _filled_in(self, text: str) -> str:
        text, missing = filled_in(text, self._environ)
        if missing:
            raise ValueError(f"the environment has no {missing}, which the settings name")
        return text


def body(letter: Letter) -> bytes:
    return msgspec.json.encode(
        {
            "title": letter.title,
            "text": letter.whole,
            "project": letter.project,
            "on": letter.occasions,
            "news": [
                {
                    "on": one.occasions,
                    "what": one.what,
                    "lines": one.lines,
                    "task": one.task,
                    "question": one.question,
                    "options": one.options,
                }
                for one in letter.news
            ],
            "link": letter.link,
        }
    )


def _host(url: str) -> str:
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    return f"{parts.hostname}{port}" if parts.hostname else ""


async def _in_a_thread(request: Request) -> str:
    """A thread that hangs is left behind: it keeps neither the loop nor the end waiting."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[str] = loop.create_future()

    def tell(why: str) -> None:
        if not answer.done():
            answer.set_result(why)

    def work() -> None:
        why = _posted(request)
        with contextlib.suppress(RuntimeError):  # nobody waits any more
            loop.call_soon_threadsafe(tell, why)

    threading.Thread(target=work, daemon=True).start()
    return await answer


def _posted(request: Request) -> str:
    try:
        with build_opener(_StayingHandler).open(request, timeout=SECONDS) as answer:
            answer.read(_ANSWER)
    except HTTPError as error:
        with error:
            to = " (it points elsewhere: give that address)" if error.code // 100 == 3 else ""  # noqa: PLR2004
            return f"HTTP {error.code}{to}"
    except URLError as error:
        return str(error.reason)
    except TimeoutError:
        return f"no answer within {SECONDS:g} seconds"
    except (OSError, HTTPException, ValueError) as error:
        return f"no answer that makes sense ({type(error).__name__})"
    return ""
