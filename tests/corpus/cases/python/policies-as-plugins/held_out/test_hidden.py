from ask import said


def test_policies():
    code = """
from types import SimpleNamespace as N
from gatekeeper.checks import User
from gatekeeper.policies import Policy, build, register
u = User('a', 'author')
q = build('quiet-hours', start=22, end=6, clock=lambda: 23)
print(q.decide(u, 'page:write'), q.decide(u, 'page:read'), build('quiet-hours', start=22, end=6, clock=lambda: 12).decide(u, 'page:write'))
print(build('quiet-hours', start=8, end=10, clock=lambda: 10).decide(u, 'page:write'), build('roles').decide(u, 'user:ban'))
try: Policy().decide(u, 'x')
except NotImplementedError: print('abstract')
try: build('nope')
except LookupError as e: print('roles' in str(e))
try: register('roles')(type('X', (Policy,), {}))
except ValueError: print('taken')
"""
    assert said(code) == "deny allow allow\nallow deny\nabstract\nTrue\ntaken"
