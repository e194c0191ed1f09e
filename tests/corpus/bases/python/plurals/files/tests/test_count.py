from plurals import count


class TestCount:
    def test_one(self):
        assert count(1, "box") == "1 box"

    def test_many(self):
        assert count(3, "cat") == "3 cats"

    def test_none(self):
        assert count(0, "cat") == "no cats"
