import pytest

from stock.items import OutOfStock, Warehouse


@pytest.fixture
def warehouse():
    warehouse = Warehouse()
    warehouse.add("bolt", 10)
    warehouse.add("nut")
    return warehouse


class TestWarehouse:
    def test_add(self, warehouse):
        warehouse.add("bolt", 5)
        assert warehouse.count("bolt") == 15

    def test_take(self, warehouse):
        warehouse.take("nut")
        assert warehouse.count("nut") == 0
        assert warehouse.skus() == ["bolt"]

    def test_take_too_many(self, warehouse):
        with pytest.raises(OutOfStock):
            warehouse.take("nut", 2)

    def test_add_nothing(self, warehouse):
        with pytest.raises(ValueError):
            warehouse.add("nut", 0)
