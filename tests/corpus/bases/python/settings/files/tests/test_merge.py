from settings.merge import merge


def test_values_are_replaced():
    assert merge({"a": 1, "b": 2}, {"b": 3}) == {"a": 1, "b": 3}


def test_tables_are_merged():
    assert merge({"a": {"x": 1}}, {"a": {"y": 2}}) == {"a": {"x": 1, "y": 2}}


def test_lists_are_replaced():
    assert merge({"a": [1]}, {"a": [2]}) == {"a": [2]}


def test_nothing_is_changed_in_place():
    below = {"a": {"x": 1}}
    merge(below, {"a": {"x": 2}})
    assert below == {"a": {"x": 1}}
