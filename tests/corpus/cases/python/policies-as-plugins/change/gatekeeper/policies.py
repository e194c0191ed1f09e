"""Rules that can be put together."""

from datetime import datetime

from gatekeeper.checks import ALLOW, DENY, decide

_KNOWN = {}


class Policy:
    """The base of all policies."""

    def decide(self, user, action):
        raise NotImplementedError(f"{type(self).__name__} does not decide")


def register(name):
    """Makes a class available under a name."""

    def decorate(cls):
        if name in _KNOWN:
            raise ValueError(f"{name} is taken by {_KNOWN[name].__name__}")
        _KNOWN[name] = cls
        return cls

    return decorate


def build(name, **options):
    try:
        cls = _KNOWN[name]
    except KeyError:
        raise LookupError(f"no policy {name}; there are {', '.join(sorted(_KNOWN))}") from None
    return cls(**options)


@register("roles")
class Roles(Policy):
    def decide(self, user, action):
        return decide(user, action)


def _hour():
    return datetime.now().hour


@register("quiet-hours")
class QuietHours(Policy):
    """Only reading between two hours."""

    def __init__(self, start, end, clock=_hour):
        self.start, self.end, self.clock = start, end, clock

    def _quiet(self):
        now = self.clock()
        if self.start <= self.end:
            return self.start <= now < self.end
        return now >= self.start or now < self.end

    def decide(self, user, action):
        if action.endswith(":read") or not self._quiet():
            return ALLOW
        return DENY
