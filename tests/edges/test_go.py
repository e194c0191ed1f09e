"""Small modules in Go, whose tests the real tool runs, from a change to its verdict."""

# ruff: noqa: RUF001 - the sign between the words of an id

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.edges.repo_help import git, in_place, new_repo, put
from tests.edges.test_confine import confining, said
from tests.edges.test_loop_proof import Project, write
from tests.support.house import Acting, story
from tests.support.reporting import Checkout

from ralph.domain import event as e
from ralph.domain.evidence import FactKind
from ralph.domain.settings import LoopSettings, SafetySettings, Settings, VerificationSettings
from ralph.domain.task import shell
from ralph.domain.verdict import Level
from ralph.repo import CleanCheckout

if TYPE_CHECKING:
    from ralph.domain.job import Job
    from ralph.repo import GitWorkspace

MODULE = "module example.com/shop\n\ngo 1.19\n"
CART = """\
package cart

// Count says how many things are in it.
func Count(things []string) int {
	return len(things)
}
"""
TEST_COUNT = """\
package cart

import "testing"

func TestCount(t *testing.T) {
	if got := Count([]string{"a", "b"}); got != 2 {
		t.Errorf("got %d, want 2", got)
	}
}

func TestEmpty(t *testing.T) {
	if got := Count(nil); got != 0 {
		t.Errorf("got %d, want 0", got)
	}
}
"""
TOTAL = """\
package cart

// Total adds up prices.
func Total(prices []int) int {
	sum := 0
	for _, one := range prices {
		sum += one
	}
	return sum
}
"""
TEST_TOTAL = """\
package cart

import "testing"

func TestTotal(t *testing.T) {
	for _, c := range []struct {
		name   string
		prices []int
		want   int
	}{
		{"one", []int{7}, 7},
		{"two", []int{7, 8}, 15},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Total(c.prices); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}
"""
TAX = "package tax\n\nfunc Of(price int) int { return price / 5 }\n"
TEST_TAX = """\
package tax_test

import (
	"testing"

	"example.com/shop/tax"
)

func TestOf(t *testing.T) {
	if tax.Of(10) != 2 {
		t.Fatal("no")
	}
}
"""
TEST_ONE = """\
package cart

import "testing"

func TestOne(t *testing.T) {
	if got := Total([]int{3}); got != 3 {
		t.Fatal("no")
	}
}
"""
GO_TEST = shell("go test ./...")


class Module(Project):
    verification = VerificationSettings(commands=(GO_TEST,), env=("GOCACHE", "GOFLAGS", "GOPROXY"))

    def texts(self, kind: FactKind) -> list[str]:
        facts = [one.fact for event in self.events(e.Verified) for one in event.verdict.facts]
        return [fact.text for fact in facts if fact.kind is kind]

    def notes(self) -> str:
        return "\n".join(note for event in self.events(e.Verified) for note in event.verdict.notes)


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    assert shutil.which("go"), "go is not installed: run `make test`"
    return tmp_path_factory.mktemp("go-build")


@pytest.fixture
def go(cache: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """As it is without a network."""
    env = {"GOCACHE": str(cache), "GOFLAGS": "-mod=mod", "GOPROXY": "off"}
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    return env


@pytest.fixture
def module(tmp_path: Path, go: dict[str, str]) -> Module:
    del go
    made = Module(tmp_path, [story("A")], loop=LoopSettings(max_iterations=1))
    files = {"go.mod": MODULE, "cart/count.go": CART, "cart/count_test.go": TEST_COUNT}
    made.commit(**files, **{"tax/tax.go": TAX, "tax/tax_test.go": TEST_TAX})
    return made


def works(files: dict[str, str]) -> Acting:
    def act(job: Job) -> str:
        write(Path(job.workspace), files)
        return f"Task {job.task} complete"

    return Acting(act)


TOTALS = {"cart/total.go": TOTAL, "cart/total_test.go": TEST_TOTAL}


# ---- single tests


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    made = Checkout(tmp_path)
    for name, text in (("go.mod", MODULE), ("cart/count.go", CART), ("tax/tax.go", TAX)):
        made.write(name, text)
    made.write("cart/count_test.go", TEST_COUNT)
    made.write("tax/tax_test.go", TEST_TAX)
    return made


def test_every_test_has_its_file(checkout: Checkout, go: dict[str, str]) -> None:
    checkout.write("cart/total.go", TOTAL)
    checkout.write("cart/total_test.go", TEST_TOTAL.replace("15}", "16}"))
    ran = checkout.run(GO_TEST, env=go)
    assert ran.outcomes == {
        "example.com/shop/cart › TestCount": "passed",
        "example.com/shop/cart › TestEmpty": "passed",
        "example.com/shop/cart › TestTotal/one": "passed",
        "example.com/shop/cart › TestTotal/two": "failed",
        "example.com/shop/cart › TestTotal": "failed",
        "example.com/shop/tax › TestOf": "passed",
    }
    assert {one.file for one in ran.found.results} == {
        "cart/count_test.go",
        "cart/total_test.go",
        "tax/tax_test.go",
    }
    assert '"Action"' not in ran.output


def test_what_does_not_build_is_the_fault_of_a_file(checkout: Checkout, go: dict[str, str]) -> None:
    checkout.write("cart/total_test.go", TEST_TOTAL)
    ran = checkout.run(GO_TEST, env=go)
    assert ran.outcomes == {
        "cart/total_test.go": "error",
        "example.com/shop/tax › TestOf": "passed",
    }
    assert "undefined: Total" in ran.found.by_id["cart/total_test.go"].message


def test_of_a_module_in_a_folder(checkout: Checkout, go: dict[str, str]) -> None:
    checkout.write("tools/go.mod", "module example.com/tools\n")
    checkout.write("tools/a_test.go", TEST_TAX.replace("tax.Of(10)", "2"))
    text = 'package tools\n\nimport "testing"\n\nfunc TestA(t *testing.T) {}\n'
    checkout.write("tools/a_test.go", text)
    ran = checkout.run("cd tools && go test ./...", env=go)
    assert [(one.id, one.file) for one in ran.found.results] == [
        ("example.com/tools › TestA", "tools/a_test.go")
    ]


def test_source_that_does_not_build_breaks_every_file(
    checkout: Checkout, go: dict[str, str]
) -> None:
    checkout.write("cart/count.go", CART.replace("len(things)", '"many"'))
    checkout.write("cart/more_test.go", "package cart\n\nfunc ExampleCount() {}\n")
    ran = checkout.run("go test ./cart", env=go)
    assert ran.outcomes == {"cart/count_test.go": "error", "cart/more_test.go": "error"}


# ---- verdicts


def test_a_feature_with_its_test_is_proven(module: Module) -> None:
    work = works(TOTALS)
    assert module.run(work) == 0
    assert module.levels() == [Level.PROVEN], (module.facts(), module.notes())
    (verified,) = module.events(e.Verified)
    assert verified.verdict.shown == (
        "example.com/shop/cart › TestTotal",
        "example.com/shop/cart › TestTotal/one",
        "example.com/shop/cart › TestTotal/two",
    )
    assert module.facts() == set()
    assert "No failing test" not in module.notes()


def test_a_test_that_passes_without_the_work_shows_nothing(module: Module) -> None:
    idle = TEST_TAX.replace("tax_test", "cart").replace("tax.Of(10)", "1+1")
    idle = idle.replace('\n\t"example.com/shop/tax"\n', "")
    module.run(works({**TOTALS, "cart/total_test.go": idle}))
    assert FactKind.NO_RED_TEST in module.facts()
    assert Level.PROVEN not in module.levels()


def test_a_weakened_test_is_put_back(module: Module) -> None:
    weak = TEST_COUNT.replace("got != 2", "got < 0")
    broken = CART.replace("len(things)", "0")
    module.run(works({"cart/count.go": broken, "cart/count_test.go": weak}))
    assert not module.levels()
    assert set(module.texts(FactKind.OVERLAY_RED)) == {
        "These tests pass only because the change edited them: example.com/shop/cart › TestCount."
    }


def test_a_deleted_test_is_missed(module: Module) -> None:
    less = TEST_COUNT[: TEST_COUNT.index("func TestEmpty")]
    module.run(works({**TOTALS, "cart/count_test.go": less}))
    assert module.texts(FactKind.TEST_REMOVED) == [
        "No longer run: example.com/shop/cart › TestEmpty."
    ]
    assert module.questions() == 1


HOLLOW = """\
package cart

import "testing"

func TestTotal(t *testing.T) {
	go func() {
		if Total([]int{7, 8}) != 15 {
			t.Error("no")
		}
	}()
}
"""


def test_a_test_that_does_not_wait_for_what_it_starts_shows_nothing(module: Module) -> None:
    module.verification = replace(module.verification, smells=False)
    module.run(works({**TOTALS, "cart/total_test.go": HOLLOW}))
    assert module.facts() & {FactKind.UNNOTICED, FactKind.UNHEEDED}
    assert Level.PROVEN not in module.levels()


ANYTHING = """\
package cart

import "testing"

func TestTotal(t *testing.T) {
	want := 15
	got := Total([]int{7, 8})
	if got == 0 {
		t.Fatal("nothing")
	}
	if got != want && false {
		t.Errorf("got %d", got)
	}
}
"""


def test_an_expectation_that_does_not_matter_is_asked_about(module: Module) -> None:
    module.verification = replace(module.verification, smells=False)
    module.run(works({**TOTALS, "cart/total_test.go": ANYTHING}))
    assert module.texts(FactKind.UNHEEDED) == [
        "cart/total_test.go::TestTotal still passes if it expects 16 instead of 15."
    ]


def test_checks_that_hear_no_failing_test_are_found_out(module: Module) -> None:
    quiet = shell("go test -json ./... | grep -v 'Canary\\|^FAIL\\|\"fail\"'; true")
    module.verification = replace(module.verification, commands=(quiet,))
    module.run(works(TOTALS))
    assert Level.PROVEN not in module.levels()
    assert "The checks do not notice a failing test" in module.notes()


def test_a_test_that_was_red_shows_the_work(module: Module) -> None:
    module.commit(**{"cart/count.go": CART.replace("len(things)", "0")})
    module.run(works({"cart/count.go": CART}))
    assert module.levels() == [Level.PROVEN], (module.facts(), module.notes())


def test_a_new_test_in_an_old_file_is_proven(module: Module) -> None:
    more = TEST_COUNT + TEST_TOTAL[TEST_TOTAL.index("\nfunc ") :]
    assert module.run(works({"cart/total.go": TOTAL, "cart/count_test.go": more})) == 0
    (verified,) = module.events(e.Verified)
    assert "example.com/shop/cart › TestTotal/two" in verified.verdict.shown
    assert module.levels() == [Level.PROVEN], (module.facts(), module.notes())


def test_a_fix_is_shown_by_the_test_that_it_adds(module: Module) -> None:
    module.commit(**{"cart/total.go": TOTAL.replace("+=", "="), "cart/total_test.go": TEST_ONE})
    more = TEST_ONE + TEST_TOTAL[TEST_TOTAL.index("\nfunc ") :]
    assert module.run(works({"cart/total.go": TOTAL, "cart/total_test.go": more})) == 0
    (verified,) = module.events(e.Verified)
    assert verified.verdict.shown == (
        "example.com/shop/cart › TestTotal",
        "example.com/shop/cart › TestTotal/two",
    )
    assert module.levels() == [Level.PROVEN], (module.facts(), module.notes())


def test_an_assertion_that_only_asks_whether_it_is_called_is_found_out(module: Module) -> None:
    calls = HOLLOW.replace("go func() {", "func() {").replace("!= 15", "== 98765")
    module.verification = replace(module.verification, smells=False)
    module.run(works({**TOTALS, "cart/total_test.go": calls}))
    assert FactKind.UNNOTICED in module.facts()
    assert Level.PROVEN not in module.levels()


# ---- between walls


@pytest.fixture
def committed(tmp_path: Path) -> GitWorkspace:
    place = new_repo(tmp_path)
    for name, text in {
        "go.mod": MODULE,
        "cart/count.go": CART,
        "cart/a_test.go": TEST_COUNT,
    }.items():
        put(place, name, text)
    git(place, "add", "-A")
    git(place, "commit", "-qm", "more")
    return in_place(place)


def test_between_walls_it_builds_in_a_home_of_its_own(committed: GitWorkspace) -> None:
    checkout = CleanCheckout(committed.repo, committed.state_dir / "checkout").at(committed.head())
    told = said(confining(committed), checkout, "go test ./... && ls -d $HOME/.cache/go-build")
    assert "ok" in told
    assert told.endswith("/.cache/go-build\n")


def test_a_cache_that_may_be_read_is_used_and_left_alone(
    committed: GitWorkspace, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GOCACHE", raising=False)
    cache = own_home / ".cache" / "go-build"
    subprocess.run(("go", "vet", "./..."), cwd=committed.root, check=True)
    before = {path for path in cache.rglob("*") if path.is_file()}
    assert before
    checkout = CleanCheckout(committed.repo, committed.state_dir / "checkout").at(committed.head())
    settings = Settings(safety=SafetySettings(read=("~/.cache/go-build",)))
    told = said(
        confining(committed, settings), checkout, "go test ./... && touch $(go env GOCACHE)/x"
    )
    assert told.startswith("ok")
    assert "Read-only" in told or "denied" in told
    assert {path for path in cache.rglob("*") if path.is_file()} == before
