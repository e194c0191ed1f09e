from logrep.parse import Hit, parse


def test_a_hit():
    assert parse("GET /index 200 512") == Hit("/index", 200, 512)


def test_no_size():
    assert parse("HEAD /index 304 -") == Hit("/index", 304, 0)


def test_noise():
    assert parse("-- rotated --") is None
