from ask import said


def test_plurals():
    code = """
from plurals import plural
print(*map(plural, "fox quiz bench dish class party toy monkey dog box city".split()))
"""
    assert said(code) == (
        "foxes quizes benches dishes classes parties toys monkeys dogs boxes cities"
    )


def test_counts():
    code = "from plurals import count; print(count(2, 'fly'), count(0, 'watch'), count(1, 'fly'))"
    assert said(code) == "2 flies no watches 1 fly"
