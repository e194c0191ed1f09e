from timebox import Stopwatch


def test_a_stopwatch_adds_up():
    now = [0]
    watch = Stopwatch(clock=lambda: now[0])
    for _ in range(2):
        watch.start()
        now[0] += 40
        watch.stop()
        now[0] += 5
    assert str(watch) == "1m 20s"
