from ledger import Money, statement


def test_a_statement_ends_with_the_total():
    lines = statement([("rent", Money(70000)), ("power", Money(4550))]).splitlines()
    assert [line.split() for line in lines] == [
        ["rent", "700.00", "EUR"],
        ["power", "45.50", "EUR"],
        ["total", "745.50", "EUR"],
    ]
