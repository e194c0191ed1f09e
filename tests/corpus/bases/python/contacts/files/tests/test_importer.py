from contacts.importer import Contact, read

HEAD = "name,email,phone\n"


def test_contact():
    assert read(HEAD + "Ann ,Ann@X.org,01 555\n") == [Contact("Ann", "ann@x.org", "+431555")]


def test_nothing():
    assert read(HEAD) == []


def test_bad_phone_does_not_stop_the_import():
    people = read(HEAD + "Ann,ann@x.org,01 555\nBob,bob@x.org,call me\n")
    assert Contact("Ann", "ann@x.org", "+431555") in people
