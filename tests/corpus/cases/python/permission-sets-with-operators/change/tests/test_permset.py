import pytest

from gatekeeper.permset import PermissionSet
from gatekeeper.roles import permissions

PAGES = PermissionSet("page:*")


@pytest.mark.parametrize(
    ("patterns", "permission", "held"),
    [
        (["page:read"], "page:read", True),
        (["page:read"], "page:write", False),
        (["page:*"], "page:write", True),
        (["page:*"], "pages:write", False),
        (["*"], "user:ban", True),
        ([], "user:ban", False),
    ],
)
def test_contains(patterns, permission, held):
    assert (permission in PermissionSet(*patterns)) is held


def test_equality():
    assert PermissionSet("a:b", "c:d") == PermissionSet("c:d", "a:b")
    assert PermissionSet("a:b") != PermissionSet("a:c")
    assert PermissionSet("a:b") != "a:b"
    assert PermissionSet() != set()
    assert len({PermissionSet("a:b"), PermissionSet("a:b")}) == 1


def test_order():
    assert PermissionSet("page:read") <= PAGES
    assert PermissionSet("page:read") < PAGES
    assert not PAGES < PAGES
    assert not PAGES <= PermissionSet("page:read")


def test_truth_and_union():
    assert not PermissionSet()
    assert PAGES
    assert PAGES | PermissionSet("user:ban") == PermissionSet("user:ban", "page:*")


def test_root_may_everything():
    assert "disk:format" in permissions("root")
