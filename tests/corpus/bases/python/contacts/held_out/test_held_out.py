from ask import said


def test_import():
    code = """
from contacts.importer import read
text = "name,email,phone\\nAnn,A@x.org,01 555\\nBob,bob@x.org,ask Ann\\nCid,cid@x.org,+1 (2) 3\\n"
for p in read(text):
    print(p.name, p.email, repr(p.phone))
"""
    assert said(code) == "Ann a@x.org '+431555'\nBob bob@x.org ''\nCid cid@x.org '+123'"
