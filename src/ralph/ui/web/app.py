"""The addresses of the dashboard, and what answers them."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route

from ralph.domain.errors import RalphError
from ralph.ui.web import doing, metrics
from ralph.ui.web.desk import BY_LOOKS
from ralph.ui.web.gate import Gate
from ralph.ui.web.pages import figures, graph, health, history, home, logs, run, shell, task
from ralph.ui.web.stream import Hub
from ralph.ui.web.tree import el, to_wire

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request
    from starlette.types import ASGIApp

    from ralph.ui.web.access import Access
    from ralph.ui.web.desk import ReadingDesk
    from ralph.ui.web.house import House
    from ralph.ui.web.stream import Key
    from ralph.ui.web.tree import Element

STATIC = Path(__file__).parent / "static"
KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
PROJECT = re.compile(r"[0-9a-f]{16}")
MOST_NAME = 300
LIVE = {"run": run.regions, "graph": graph.regions}


class LivePages:
    """What is live: the list of repositories, a run, its graph."""

    def version(self, house: House, key: Key) -> object:
        if key == ("home",):
            return home.version(house)
        desk = house.desk(key[1])
        if desk is None:
            return None
        return graph.version(desk) if key[0] == "graph" else desk.version

    def regions(self, house: House, key: Key) -> dict[str, object]:
        if key == ("home",):
            return {name: to_wire(tree, BY_LOOKS) for name, tree in home.regions(house).items()}
        desk = house.desk(key[1])
        if desk is None:
            return {}
        return {name: to_wire(tree, desk.clean) for name, tree in LIVE[key[0]](desk).items()}


class Dashboard:
    def __init__(
        self,
        house: House,
        access: Access,
        names: tuple[str, ...],
        *,
        open_metrics: bool = False,
        bug: Callable[[Exception, str], None],
    ) -> None:
        self.house = house
        self.hub = Hub(house, LivePages())
        self._access = access
        self._bug = bug
        inner = Starlette(
            routes=self._routes(),
            exception_handlers={
                HTTPException: _not_found,
                RalphError: _in_the_way,
                Exception: self._unforeseen,
            },
        )
        self.app: ASGIApp = Gate(
            inner, access, names, shell.sign_in(BY_LOOKS), open_metrics=open_metrics
        )

    def _routes(self) -> list[Route]:
        pages: dict[str, Callable[..., str]] = {
            "": run_page, "/graph": graph_page, "/task": task.page, "/figures": figures.page,
            "/health": health.page, "/logs": logs.page, "/history": history.page,
        }  # fmt: skip
        return [
            Route("/", self._home),
            Route("/live", self._live),
            Route("/metrics", self._metrics),
            Route("/session", self._session, methods=["POST"]),
            Route("/static/{name}", _static),
            Route("/p/{project}/do/{what}", self._do, methods=["POST"]),
            *(Route(f"/p/{{project}}{path}", self._page(page)) for path, page in pages.items()),
        ]

    async def _home(self, request: Request) -> Response:  # noqa: ARG002 - Starlette's
        return HTMLResponse(await self.house.ask(home_page))

    def _page(self, page: Callable[..., str]) -> Callable[[Request], Awaitable[Response]]:
        async def shown(request: Request) -> Response:
            asked = {k: v[:MOST_NAME] for k, v in request.query_params.items()}
            text = await self.house.ask(_of_project, _project(request), page, asked)
            return HTMLResponse(text)

        return shown

    async def _live(self, request: Request) -> Response:
        page, project = request.query_params.get("page"), request.query_params.get("project", "")
        key: Key = ("home",)
        if page in LIVE and PROJECT.fullmatch(project):
            key = (page, project)
        elif page != "home":
            raise HTTPException(404)
        if self.hub.is_full:
            return JSONResponse({"error": "Too many pages are open."}, 429, {"retry-after": "30"})
        if len(key) > 1:
            await self.house.ask(_desk, project)
        return StreamingResponse(self.hub.watch(key), media_type="text/event-stream")

    async def _metrics(self, request: Request) -> Response:  # noqa: ARG002 - Starlette's
        text = await self.house.ask(metrics.of_house, self.hub.count)
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4; charset=utf-8")

    async def _session(self, request: Request) -> Response:
        given = await _body(request)
        if not self._access.is_token(given.get("token", "")):
            return JSONResponse({"error": "This is not the token of this start."}, 401)
        headers = {"set-cookie": self._access.set_cookie()}
        return JSONResponse({"key": self._access.key}, headers=headers)

    async def _do(self, request: Request) -> Response:
        what, given = request.path_params["what"], await _body(request)
        if what not in doing.DOINGS:
            raise HTTPException(404)
        root = await self.house.ask(_root, _project(request))
        # it may wait for the agent, and git takes its time: not in the thread that reads
        told = await run_in_threadpool(doing.do, what, root, given)
        return JSONResponse({"told": told})

    async def _unforeseen(self, request: Request, error: Exception) -> Response:
        await asyncio.to_thread(self._bug, error, request.url.path)
        return await _failed(request, 500, "This is a bug in Ralph. Its terminal says more.")


def home_page(house: House) -> str:
    parts = home.regions(house)
    return shell.document(
        "Your repositories", *parts.values(), clean=BY_LOOKS, live="/live?page=home"
    )


def run_page(desk: ReadingDesk, asked: dict[str, str]) -> str:  # noqa: ARG001 - like all pages
    return _live_page(desk, "run", desk.name, "")


def graph_page(desk: ReadingDesk, asked: dict[str, str]) -> str:  # noqa: ARG001 - like all pages
    return _live_page(desk, "graph", "The plan", "graph")


def _live_page(desk: ReadingDesk, name: str, title: str, page: str) -> str:
    parts: list[Element] = list(LIVE[name](desk).values())
    goal = el("p", desk.state.run.goal, class_="goal") if desk.state.run.goal else None
    live = f"/live?page={name}&project={desk.project}"
    return shell.document(title, goal, *parts, clean=desk.clean, desk=desk, page=page, live=live)


def _of_project(house: House, project: str, page: Callable[..., str], asked: dict[str, str]) -> str:
    return page(_desk(house, project), asked)


def _desk(house: House, project: str) -> ReadingDesk:
    desk = house.desk(project)
    if desk is None:
        raise HTTPException(404)
    return desk


def _root(house: House, project: str) -> Path:
    desk = _desk(house, project)
    if desk.found is None:
        raise RalphError(f"That cannot be done: {desk.trouble.rstrip('.')}.")
    return desk.found.root


def _project(request: Request) -> str:
    name: str = request.path_params["project"]
    if not PROJECT.fullmatch(name):
        raise HTTPException(404)
    return name


async def _body(request: Request) -> dict[str, str]:
    """An object of strings, which is all that forms hold."""
    try:
        given: Any = json.loads(await request.body())
    except (ValueError, RecursionError) as error:
        raise HTTPException(400) from error
    if not isinstance(given, dict) or not all(isinstance(one, str) for one in given.values()):
        raise HTTPException(400)
    return given


async def _static(request: Request) -> Response:
    path = STATIC / request.path_params["name"]
    if path.name not in FILES:
        raise HTTPException(404)
    return Response(path.read_bytes(), media_type=KINDS[path.suffix])


FILES = frozenset(path.name for path in STATIC.iterdir() if path.suffix in KINDS)


async def _not_found(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    return await _failed(request, status, "There is nothing here.")


async def _in_the_way(request: Request, error: Exception) -> Response:
    return await _failed(request, 409, str(error))


async def _failed(request: Request, status: int, why: str) -> Response:
    if "text/html" in request.headers.get("accept", ""):
        return HTMLResponse(shell.failure("That did not work", why, BY_LOOKS), status)
    return JSONResponse({"error": BY_LOOKS(why)}, status)
