from ask import said


def test_environment():
    code = """
import os
os.environ.update({"APP_SERVER__PORT": "99", "APP_LOG__LEVEL": "warn me", "APP_DEBUG": "true", "OTHER_DEBUG": "1"})
from settings import load
print(load())
print(load(environ={"APP_LIST": "[1, 2]"}))
"""
    assert said(code).splitlines() == [
        "{'debug': True, 'server': {'host': 'localhost', 'port': 99}, 'log': {'level': 'warn me'}}",
        "{'debug': False, 'server': {'host': 'localhost', 'port': 8000}, 'log': {'level': 'info'}, 'list': [1, 2]}",
    ]
