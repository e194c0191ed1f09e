from gatekeeper.checks import User

GUEST = User("gil", "guest")
AUTHOR = User("ann", "author")
ADMIN = User("bob", "admin")
