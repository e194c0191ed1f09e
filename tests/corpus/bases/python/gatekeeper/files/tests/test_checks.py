import pytest

from gatekeeper.checks import ALLOW, ASK, DENY, decide
from users import ADMIN, AUTHOR, GUEST


@pytest.mark.parametrize(
    ("user", "action", "decision"),
    [
        (GUEST, "page:read", ALLOW),
        (GUEST, "page:write", DENY),
        (AUTHOR, "page:write", ALLOW),
        (AUTHOR, "page:delete", DENY),
        (ADMIN, "page:delete", ALLOW),
    ],
)
def test_decisions(user, action, decision):
    assert decide(user, action) == decision


def test_authors_ask_for_their_own():
    assert decide(AUTHOR, "page:delete", owner="ann") == ASK
    assert decide(AUTHOR, "page:delete", owner="bob") == DENY
