from contacts.exporter import vcard
from contacts.importer import Contact


def test_card():
    card = vcard(Contact("Ann", "ann@x.org", "+431555"))
    assert card.splitlines()[2:5] == ["FN:Ann", "EMAIL:ann@x.org", "TEL:+431555"]


def test_only_a_name():
    assert "TEL" not in vcard(Contact("Ann"))
