from timers import Timer


def test_remaining():
    assert Timer("2m").remaining(30) == 90


def test_done():
    assert Timer("10s").done(11)
    assert not Timer("10s").done(9)
