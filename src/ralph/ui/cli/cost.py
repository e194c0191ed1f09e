"""What was used: tokens and money, by whatever one wants to know it by."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any, Self, TypeVar

import click
import msgspec
from msgspec.structs import replace

from ralph.policy.forecast import left_to_do
from ralph.ui import money, wire, words
from ralph.ui.cli.common import count, json_option, print_json
from ralph.ui.cli.look import found_plan
from ralph.views import economics
from ralph.views.economics import By

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from ralph.domain.budget import TokenConsumption, TokenRecord
    from ralph.ledger.journal import Journal
    from ralph.ledger.spending import TokenEconomicsService
    from ralph.ui.wire import Project

C = TypeVar("C", bound="Callable[..., Any]")

NOTHING = "No agent has run here yet, so nothing was spent."


def _options(command: C) -> C:
    """What both commands understand."""
    for option in (
        click.option(
            "--since",
            type=click.DateTime(["%Y-%m-%d"]),
            metavar="DATE",
            help="Only from this day on.",
        ),
        click.option("--all-projects", is_flag=True, help="Include every project in this ledger."),
        click.option("--csv", "as_csv", is_flag=True, help="Print CSV."),
        json_option,
        click.option(
            "--by",
            type=click.Choice([one.value for one in By]),
            default="task",
            help="What to group by.",
        ),
    ):
        command = option(command)
    return command


@click.command()
@_options
def tokens(
    by: str, as_json: bool, as_csv: bool, all_projects: bool, since: datetime | None
) -> None:
    """Show tokens by kind: input, output, cache writes and cache reads."""
    with _Looked(since, everywhere=all_projects) as look:
        rows = look.rows(By(by))
        values = look.values(by, rows)
    if as_json:
        print_json(values)
    elif as_csv:
        _print_csv(by, rows)
    elif not rows:
        click.echo(NOTHING)
    else:
        _table(by, _TOKENS, rows, economics.total(look.records))
        _show_efficiency(values["efficiency"])


@click.command()
@_options
def cost(by: str, as_json: bool, as_csv: bool, all_projects: bool, since: datetime | None) -> None:
    """Show dollars, what is left of each budget, and what the rest of the plan will likely cost."""
    with _Looked(since, everywhere=all_projects) as look:
        rows = look.rows(By(by))
        checks = (*look.service.check_each(), *look.service.tasks_near())
        found = look.forecast()
        values = look.values(by, rows) | {
            "breakdown": msgspec.to_builtins(economics.breakdown(look.records)),
            "budgets": [money.budget_view(one) for one in checks],
            "forecast": None if found is None else money.forecast_view(found),
        }
    if as_json:
        print_json(values)
        return
    if as_csv:
        _print_csv(by, rows)
        return
    if rows:
        _table(by, _DOLLARS, rows, economics.total(look.records))
        _show_kinds(values["breakdown"])
    else:
        click.echo(NOTHING)
    known = not rows or economics.total(look.records).usage.cost_usd is not None
    _section("Budgets", money.budget_lines(checks, known=known))
    _section("Forecast", () if found is None else money.forecast_lines(found))


class _Looked:
    """The journal, open as long as it is read."""

    journal: Journal
    service: TokenEconomicsService
    records: list[TokenRecord]

    def __init__(self, since: datetime | None, *, everywhere: bool) -> None:
        self.found: Project = wire.project(to_write=False)
        self.since = since.date().isoformat() if since else ""
        self.everywhere = everywhere

    def __enter__(self) -> Self:
        from ralph.ledger.spending import TokenEconomicsService

        self.journal = self.found.journal()
        self.service = TokenEconomicsService(
            self.journal, money.as_run(self.found.settings, self.journal.state)
        )
        self.records = self.service.records(self.since, everywhere=self.everywhere)
        return self

    def __exit__(self, *_: object) -> None:
        self.journal.close()
        self.journal.ledger.close()

    def rows(self, by: By) -> list[TokenConsumption]:
        rows = economics.group(self.records, by)
        if by is not By.PROJECT:
            return rows
        started = self.journal.ledger.across(("RunStarted",))
        names = {one.project: getattr(one.event, "goal", "") for one in started}
        return [replace(row, key=f"{names.get(row.key, '')} ({row.key})".strip()) for row in rows]

    def forecast(self) -> Any:  # noqa: ANN401 - a forecast, or None
        plan = found_plan(self.found, self.journal.state, None)
        tasks = left_to_do(plan, self.journal.state) if plan is not None else 0
        return self.service.forecast_cost(tasks) if tasks else None

    def values(self, by: str, rows: Sequence[TokenConsumption]) -> dict[str, Any]:
        done = self.journal.state.metrics.successes if not (self.everywhere or self.since) else 0
        return {
            "by": by,
            "project": "" if self.everywhere else self.journal.project,
            "since": self.since,
            "rows": [{"key": row.key, **money.figures(row)} for row in rows],
            "total": money.figures(economics.total(self.records)),
            "efficiency": msgspec.to_builtins(economics.efficiency(self.records, done)),
        }


def _print_csv(by: str, rows: Sequence[TokenConsumption]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow((by, *money.FIGURES))
    for row in rows:
        writer.writerow((row.key, *("" if v is None else v for v in money.figures(row).values())))
    click.echo(text.getvalue(), nl=False)


Column = tuple[str, "Callable[[TokenConsumption], str]"]

_TOKENS: tuple[Column, ...] = (
    ("agents", lambda row: f"{row.agents:,}"),
    ("calls", lambda row: f"{row.calls:,}"),
    ("tools", lambda row: f"{row.tool_calls:,}"),
    ("input", lambda row: f"{row.usage.input_tokens:,}"),
    ("output", lambda row: f"{row.usage.output_tokens:,}"),
    ("cache write", lambda row: f"{row.usage.cache_write_tokens:,}"),
    ("cache read", lambda row: f"{row.usage.cache_read_tokens:,}"),
    ("total", lambda row: f"{row.usage.tokens:,}"),
)
_DOLLARS: tuple[Column, ...] = (
    ("agents", lambda row: f"{row.agents:,}"),
    ("calls", lambda row: f"{row.calls:,}"),
    ("tokens", lambda row: f"{row.usage.tokens:,}"),
    ("cost", lambda row: money.dollars(row.usage.cost_usd, estimated=row.usage.estimated)),
)


def _table(
    by: str, columns: Sequence[Column], rows: Sequence[TokenConsumption], total: TokenConsumption
) -> None:
    lines = [(by, *(name for name, _ in columns))]
    lines += [
        (words.line(row.key, 40), *(shown(row) for _, shown in columns)) for row in (*rows, total)
    ]
    widths = [max(len(line[n]) for line in lines) for n in range(len(lines[0]))]
    for number, line in enumerate(lines):
        cells = (text.rjust(width) for text, width in zip(line[1:], widths[1:], strict=True))
        click.secho(
            "  ".join((line[0].ljust(widths[0]), *cells)).rstrip(),
            bold=number in (0, len(lines) - 1),
        )
    if total.without_figures:
        click.echo(f"{count(total.without_figures, 'agent')} without usage figures")


def _show_efficiency(values: dict[str, Any]) -> None:
    def lines() -> Iterator[str]:
        if (tokens_each := values["tokens_per_tool_call"]) is not None:
            yield f"{tokens_each:,.0f} tokens per tool call"
        if (tokens_each := values["tokens_per_call"]) is not None:
            yield f"{tokens_each:,.0f} tokens per model call"
        if (hits := values["cache_hit_rate"]) is not None:
            yield f"{hits:.0%} of the input came from the cache"
        if (many := values["prefixes"]) > 1:
            yield f"{many} different beginnings of prompts: a cache holds what begins the same"

    _section("Efficiency", lines())


def _show_kinds(values: dict[str, float]) -> None:
    shown = ((kind.replace("_", " "), amount) for kind, amount in values.items() if amount)
    _section(
        "Cost by kind of token", (f"{kind}: {money.dollars(amount)}" for kind, amount in shown)
    )


def _section(title: str, lines: Iterator[str] | Sequence[str]) -> None:
    shown = list(lines)
    if shown:
        click.secho(f"\n{title}", bold=True)
    for line in shown:
        click.echo(f"  {line}")
