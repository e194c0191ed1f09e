from stock.csvio import read_csv, write_csv


def test_there_and_back(tmp_path):
    source = tmp_path / "in.csv"
    source.write_text("sku,number\nbolt,10\nnut,1\nbolt,2\n")
    warehouse = read_csv(source)
    assert warehouse.count("bolt") == 12
    write_csv(warehouse, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().splitlines() == ["sku,number", "bolt,12", "nut,1"]
