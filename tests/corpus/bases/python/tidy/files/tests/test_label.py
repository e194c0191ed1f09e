from label import parcel

HOME = {"street": "Elm Row", "number": 3, "town": "Leith", "country": "Scotland"}


def test_parcel():
    assert parcel("Ada", HOME) == "ADA, ELM ROW 3, LEITH, SCOTLAND"
