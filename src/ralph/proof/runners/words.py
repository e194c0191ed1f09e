"""The words that runners of tests take: options with a value, and how files are named."""

from __future__ import annotations

from msgspec import Struct

_PY = (".py",)
_JS = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".jsx", ".tsx")


class Runner(Struct, frozen=True):
    """How one runner is told which files to run."""

    endings: tuple[str, ...]
    with_value: tuple[str, ...] = ()
    """Options whose value is the next word."""
    alone: tuple[str, ...] = ()
    """Options that stand alone, as far as a file may come after them."""
    first: tuple[str, ...] = ()
    """What says that files follow."""
    words: tuple[str, ...] = ()
    """Its own words before the files: `run`."""
    ends_early: tuple[str, ...] = ()
    """What makes it end at the first test that fails: then nothing is known of the others."""
    named: str = ""
    """The option that takes a pattern of the names of tests; Python's take names as files."""


_COVERAGE = ("--cov-report", "--cov-config", "--cov-fail-under")
RUNNERS = {
    "pytest": Runner(
        _PY,
        (
            *("-k", "-m", "-p", "-c", "-o", "-W", "-n", "-r", "--tb", "--dist", "--color"),
            *("--durations", "--maxfail", "--rootdir", "--confcutdir", "--basetemp", "--timeout"),
            *("--junitxml", "--junit-xml", "--log-level", "--log-cli-level", "--import-mode"),
            *("--numprocesses", "--reruns", "--capture", "--asyncio-mode", "--html", "--deselect"),
            *("--hypothesis-profile", "--hypothesis-seed", *_COVERAGE),
        ),
        ("--doctest-modules", "--strict-markers", "--strict-config", "--no-header", "--no-cov"),
        ends_early=("-x", "--exitfirst", "--maxfail=1"),
    ),
    "unittest": Runner(_PY, ("-k",), ends_early=("-f", "--failfast")),
    "node": Runner(
        _JS,
        (
            *("--import", "--require", "-r", "--loader", "--experimental-loader", "-C"),
            *("--conditions", "--test-name-pattern", "--test-reporter", "--env-file"),
            *("--test-reporter-destination", "--test-concurrency", "--test-timeout"),
        ),
        named="--test-name-pattern",
    ),
    "jest": Runner(
        _JS,
        (
            *("-c", "--config", "-w", "--maxWorkers", "-t", "--testNamePattern", "--env"),
            *("--testEnvironment", "--rootDir", "--testTimeout", "--reporters", "--preset"),
            *("--selectProjects", "--coverageProvider", "--coverageDirectory", "--seed"),
            *("--coverageReporters", "--collectCoverageFrom", "--testRunner", "--runner"),
            *("--maxConcurrency", "--cacheDirectory", "--outputFile"),
        ),
        first=("--runTestsByPath",),
        ends_early=("-b", "--bail", "--bail=1"),
        named="--testNamePattern",
    ),
    "vitest": Runner(
        _JS,
        (
            *("-c", "--config", "-t", "--testNamePattern", "--project", "-r", "--root", "--dir"),
            *("--environment", "--pool", "--reporter", "--outputFile", "--maxWorkers", "--mode"),
            *("--minWorkers", "--testTimeout", "--hookTimeout", "--retry", "--exclude"),
            "--coverage.provider",
        ),
        words=("run",),
        ends_early=("--bail", "--bail=1"),
        named="--testNamePattern",
    ),
    "mocha": Runner(
        _JS,
        (
            *("-r", "--require", "-R", "--reporter", "-t", "--timeout", "-u", "--ui", "--config"),
            *("-g", "--grep", "-f", "--fgrep", "-j", "--jobs", "-s", "--slow", "--extension"),
            *("--file", "--package", "--retries", "--exclude", "-O", "--reporter-option"),
            *("--reporter-options", "-n", "--node-option", "--loader", "--import"),
        ),
        ("--recursive", "--exit", "--check-leaks", "--colors", "--parallel"),
        ends_early=("-b", "--bail"),
        named="--grep",
    ),
    "ava": Runner(
        _JS,
        ("-m", "--match", "-T", "--timeout", "-c", "--concurrency", "--config", "--node-arguments"),
        ends_early=("--fail-fast",),
        named="--match",
    ),
    "tape": Runner(_JS, ("-r", "--require", "-i", "--ignore")),
}
