"""What Prometheus reads: gauges and counters of every repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.ui.web.desk import BY_LOOKS
from ralph.ui.web.pages.run import counts_of
from ralph.ui.web.parts import SIGNS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ralph.ui.web.desk import ReadingDesk
    from ralph.ui.web.house import House

METRICS = {
    "ralph_running": ("gauge", "Whether a run is at work."),
    "ralph_tasks": ("gauge", "Tasks of the plan by their state."),
    "ralph_questions": ("gauge", "Questions that wait for a person."),
    "ralph_iterations_total": ("counter", "Iterations that ended."),
    "ralph_successes_total": ("counter", "Iterations that finished a task."),
    "ralph_failures_total": ("counter", "Iterations that failed."),
    "ralph_rollbacks_total": ("counter", "Rollbacks to the last verified commit."),
    "ralph_cost_dollars_total": ("counter", "US dollars that agents said they cost."),
    "ralph_tokens_total": ("counter", "Tokens by kind."),
    "ralph_last_event": ("gauge", "The number of the newest event that was read."),
    "ralph_dashboard_pages": ("gauge", "Pages that are open and live."),
}
Sample = tuple[str, "Mapping[str, str]", float]


def of_house(house: House, pages: int) -> str:
    samples = [one for desk in house.desks() for one in _of_desk(desk)]
    return text([*samples, ("ralph_dashboard_pages", {}, float(pages))])


def _of_desk(desk: ReadingDesk) -> Iterator[Sample]:
    about = {"project": desk.project, "name": desk.clean(desk.name)}
    metrics, usage = desk.state.metrics, desk.state.metrics.usage
    yield "ralph_running", about, float(desk.holder is not None)
    counts = counts_of(desk)
    for word in SIGNS:
        if word in counts:
            yield "ralph_tasks", about | {"state": word}, float(counts[word])
    yield "ralph_questions", about, float(len(desk.state.questions))
    yield "ralph_iterations_total", about, float(metrics.iterations)
    yield "ralph_successes_total", about, float(metrics.successes)
    yield "ralph_failures_total", about, float(metrics.failures)
    yield "ralph_rollbacks_total", about, float(metrics.rollbacks)
    if usage.cost_usd is not None:
        yield "ralph_cost_dollars_total", about, usage.cost_usd
    for kind in ("input", "output", "cache_write", "cache_read"):
        yield "ralph_tokens_total", about | {"kind": kind}, float(getattr(usage, f"{kind}_tokens"))
    yield "ralph_last_event", about, float(desk.state.seq)


def text(samples: list[Sample]) -> str:
    """All samples of one metric stand together, below what they mean."""
    lines: list[str] = []
    for name, (kind, what) in METRICS.items():
        mine = [one for one in samples if one[0] == name]
        if mine:
            lines += [f"# HELP {name} {what}", f"# TYPE {name} {kind}"]
            lines += [f"{name}{_labels(labels)} {value:.12g}" for _, labels, value in mine]
    return "\n".join(lines) + "\n"


def _labels(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_quoted(value)}"' for name, value in labels.items()) + "}"


def _quoted(value: str) -> str:
    plain = BY_LOOKS(value).replace("\\", r"\\")
    return plain.replace('"', r"\"").replace("\n", r"\n")
