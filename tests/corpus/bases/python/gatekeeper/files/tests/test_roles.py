from gatekeeper.roles import permissions


def test_known_roles():
    assert permissions("guest") == {"page:read"}
    assert "user:ban" in permissions("admin")


def test_an_unknown_role_may_nothing():
    assert permissions("nobody") == set()
