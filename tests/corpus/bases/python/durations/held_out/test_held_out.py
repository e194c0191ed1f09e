from ask import said

CODE = """
from durations import parse
from timers import Timer
print(int(parse("2h5m10s")), int(parse("3m3s")), int(parse("1h30m")), int(Timer("1m30s").remaining(10)))
for text in ("soon", "1h and 5m", "5x", ""):
    try:
        parse(text)
    except ValueError:
        print("refused")
"""


def test_parts_add_up():
    assert said(CODE) == "7510 183 5400 80\n" + "\n".join(["refused"] * 4)
