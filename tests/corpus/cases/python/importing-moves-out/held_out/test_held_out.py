from ask import said


def test_module():
    code = """
from importlib.util import find_spec
from contacts import normal
from contacts.importer import read
print(normal.phone("0043 1 5"), normal.email(" A@B "), normal.name(" x "), find_spec("contacts.phone"))
print([p.phone for p in read("name,email,phone\\nAnn,A@x.org,01 555\\nBob,b,ask Ann\\n")])
"""
    assert said(code) == "+4315 a@b x None\n['+431555', '']"
