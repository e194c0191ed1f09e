import pytest

from gatekeeper import policies
from gatekeeper.checks import ALLOW, DENY
from gatekeeper.policies import Policy, build, register
from users import AUTHOR, GUEST


@pytest.fixture
def empty_registry(monkeypatch):
    monkeypatch.setattr(policies, "_KNOWN", {})


def test_the_base_class_does_not_decide():
    class Lazy(Policy):
        pass

    with pytest.raises(NotImplementedError, match="Lazy"):
        Lazy().decide(GUEST, "page:read")


def test_a_policy_of_ones_own(empty_registry):
    @register("never")
    class Never(Policy):
        def decide(self, user, action):
            return DENY

    assert build("never").decide(AUTHOR, "page:read") == DENY
    with pytest.raises(ValueError, match="Never"):
        register("never")(Never)


def test_unknown_names():
    with pytest.raises(LookupError, match="quiet-hours, roles"):
        build("nope")


def test_roles():
    assert build("roles").decide(GUEST, "page:write") == DENY
    assert build("roles").decide(AUTHOR, "page:write") == ALLOW


@pytest.mark.parametrize(
    ("start", "end", "hour", "decision"),
    [(22, 6, 23, DENY), (22, 6, 5, DENY), (22, 6, 6, ALLOW), (22, 6, 21, ALLOW), (8, 10, 9, DENY), (8, 10, 10, ALLOW), (8, 8, 8, ALLOW)],
)
def test_quiet_hours(start, end, hour, decision):
    policy = build("quiet-hours", start=start, end=end, clock=lambda: hour)
    assert policy.decide(AUTHOR, "page:write") == decision
    assert policy.decide(AUTHOR, "page:read") == ALLOW
