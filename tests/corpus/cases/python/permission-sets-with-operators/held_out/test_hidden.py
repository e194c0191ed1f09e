from ask import said


def test_sets():
    code = """
from gatekeeper.permset import PermissionSet as P
from gatekeeper.roles import permissions
from gatekeeper.checks import User, decide
a = P('page:*')
print('page:read' in a, 'user:ban' in a, 'pages:read' in a, 'x:y' in P('*'))
print(P('a:b', 'c:d') == P('c:d', 'a:b'), hash(P('a:b', 'c:d')) == hash(P('c:d', 'a:b')), P('a:b') == P('a:c'), P() == set(), P('a:b') == 'a:b')
print(P('page:read') <= a, a <= P('page:read'), P('page:read') < a, a < a, bool(P()), bool(a), 'q:r' in (P('a:b') | P('q:r')))
print('any:thing' in permissions('root'), decide(User('r', 'root'), 'user:ban'))
"""
    assert said(code) == "True False False True\nTrue True False False False\nTrue False True False False True True\nTrue allow"
