"""Names of variables, fields and flags that say: what is assigned to me is a secret."""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

_PASSWORDS = frozenset(
    ("password", "passwd", "passphrase", "passcode", "pass", "pwd", "secret", "secrets")
)
_TOKENS = frozenset(("token", "apikey", "credential", "credentials", "authkey", "jwt"))
_ENDINGS = (
    *("password", "passwd", "passphrase", "secret", "token"),
    *("apikey", "accesskey", "secretkey", "privatekey", "authkey"),
)
_KEYS_TO = frozenset(
    (
        *("access", "account", "admin", "aes", "anthropic", "api", "app", "application", "auth"),
        *("aws", "azure", "bot", "client", "cloud", "consumer", "crypt", "decryption", "deploy"),
        *("encrypt", "encryption", "gcp", "gemini", "github", "gitlab", "google", "hmac", "jwt"),
        *("license", "licence", "mailgun", "master", "openai", "private", "root", "secret"),
        *("sendgrid", "sentry", "server", "service", "session", "shared", "sign", "signature"),
        *("signing", "ssh", "storage", "stripe", "subscription", "token", "twilio", "user"),
        *("webhook", "write"),
    )
)
"""A `key` is a secret if one of these stands before it; most keys are those of a table."""
_AFTER = frozenset(
    (
        *("value", "string", "str", "text", "raw", "plain", "base", "prod", "production", "dev"),
        *("staging", "test", "live", "main", "default", "old", "new", "current", "key", "env"),
        *("primary", "secondary", "b64", "data"),
    )
)
"""What may follow the telling word. After any other (`token_type`, `password_file`) it is none."""


class Strength(IntEnum):
    """How much a name alone says."""

    NOTHING = 0
    SOME = 1
    """What is assigned is a secret if it looks like chance."""
    MUCH = 2
    """A password: people choose them, so they need not look like chance."""


@lru_cache(maxsize=4096)
def strength(name: str) -> Strength:
    words = [word.lower() for word in _WORD.findall(name)]
    while words and (words[-1] in _AFTER or words[-1].isdigit()) and not _telling(words):
        words.pop()
    return _telling(words)


def is_secret(name: str) -> bool:
    return strength(name) > Strength.NOTHING


def _telling(words: list[str]) -> Strength:
    if not words:
        return Strength.NOTHING
    last, before = words[-1], words[-2] if words[1:] else ""
    if last in _PASSWORDS or last.endswith(("password", "passwd", "passphrase")):
        return Strength.MUCH
    if last in _TOKENS or last.endswith(_ENDINGS):
        return Strength.SOME
    return Strength.SOME if last == "key" and before in _KEYS_TO else Strength.NOTHING
