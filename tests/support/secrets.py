"""Secrets that nobody has: made from their formats, and put where secrets turn up.

No file here holds anything shaped like a token: the parts meet only when a test runs. Half of the
corpus (by a hash of its names) is there to tune by, the other half to tell how well that went.
"""

from __future__ import annotations

import base64
import hashlib
import json
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LOWER = "abcdefghijklmnopqrstuvwxyz"
UPPER = LOWER.upper()
DIGITS = "0123456789"
ALNUM = UPPER + LOWER + DIGITS
WORD = ALNUM + "_-"
HEX = DIGITS + "abcdef"
BASE64 = ALNUM + "+/"
BASE32 = UPPER + "234567"
LOW36 = LOWER + DIGITS
UP36 = UPPER + DIGITS

Part = str | tuple[str, int]

TOKENS: dict[str, tuple[Part, ...]] = {
    "aws-key-id": ("AK", "IA", (BASE32, 16)),
    "aws-session-key-id": ("AS", "IA", (BASE32, 16)),
    "github-classic": ("gh", "p_", (ALNUM, 36)),
    "github-oauth": ("gh", "o_", (ALNUM, 36)),
    "github-server": ("gh", "s_", (ALNUM, 36)),
    "github-refresh": ("gh", "r_", (ALNUM, 76)),
    "github-fine": ("github", "_pat_", (ALNUM, 22), "_", (ALNUM, 59)),
    "gitlab-personal": ("gl", "pat-", (WORD, 20)),
    "gitlab-runner": ("gl", "rt-", (WORD, 20)),
    "gitlab-deploy": ("gl", "dt-", (WORD, 20)),
    "bitbucket": ("AT", "BB", (ALNUM, 32)),
    "atlassian": ("ATA", "TT3x", (WORD, 180), "=", (UP36, 8)),
    "slack-bot": ("xo", "xb-", (DIGITS, 12), "-", (DIGITS, 12), "-", (ALNUM, 24)),
    "slack-user": ("xo", "xp-", (DIGITS, 11), "-", (DIGITS, 11), "-", (DIGITS, 12), "-", (HEX, 32)),
    "slack-app": ("xa", "pp-1-A", (UP36, 10), "-", (DIGITS, 13), "-", (HEX, 64)),
    "slack-webhook": (
        *("https://hooks.", "slack.com/services/T", (UP36, 8), "/B", (UP36, 8), "/", (ALNUM, 24)),
    ),
    "discord-webhook": (*("https://discord.", "com/api/webhooks/", (DIGITS, 18), "/", (WORD, 68)),),
    "discord-bot": ("M", (ALNUM, 23), ".", (WORD, 6), ".", (WORD, 27)),
    "telegram": ((DIGITS, 10), ":", "AA", (WORD, 33)),
    "teams-webhook": (
        *("https://acme.webhook.", "office.com/webhookb2/", (HEX, 8), "-", (HEX, 4), "-", (HEX, 4)),
        *("-", (HEX, 4), "-", (HEX, 12), "@", (HEX, 8), "/Incoming", "Webhook/", (HEX, 32)),
        *("/", (HEX, 8), "-", (HEX, 12)),
    ),
    "stripe-live": ("sk", "_live_", (ALNUM, 24)),
    "stripe-test": ("sk", "_test_", (ALNUM, 99)),
    "stripe-restricted": ("rk", "_live_", (ALNUM, 24)),
    "stripe-webhook": ("wh", "sec_", (ALNUM, 32)),
    "square": ("sq", "0atp-", (WORD, 22)),
    "square-secret": ("sq", "0csp-", (WORD, 43)),
    "braintree": ("access_token", "$production$", (LOW36, 16), "$", (HEX, 32)),
    "shopify": ("shp", "at_", (HEX, 32)),
    "google-api": ("AI", "za", (WORD, 35)),
    "google-client": ("GOC", "SPX-", (WORD, 28)),
    "google-access": ("ya", "29.", (WORD, 140)),
    "google-refresh": ("1/", "/0", (WORD, 60)),
    "azure-storage": ("Account", "Key=", (BASE64, 86), "=="),
    "azure-client": ((ALNUM, 3), "8", "Q~", (WORD, 34)),
    "azure-sas": ("?sv=2022-11-02&si", "g=", (ALNUM, 43), "%3D"),
    "alibaba": ("LT", "AI", (ALNUM, 20)),
    "digitalocean": ("dop", "_v1_", (HEX, 64)),
    "heroku": ("HR", "KU-", (WORD, 60)),
    "cloudflare-origin": ("v1", ".0-", (HEX, 24), "-", (HEX, 146)),
    "npm": ("np", "m_", (ALNUM, 36)),
    "pypi": ("py", "pi-AgEIcHlwaS5vcmc", (WORD, 160)),
    "rubygems": ("ruby", "gems_", (HEX, 48)),
    "crates": ("ci", "o", (ALNUM, 32)),
    "nuget": ("oy", "2", (LOW36, 43)),
    "docker": ("dckr", "_pat_", (WORD, 27)),
    "clojars": ("CLO", "JARS_", (LOW36, 60)),
    "openai": ("sk", "-", (ALNUM, 20), "T3BlbkFJ", (ALNUM, 20)),
    "openai-project": ("sk", "-proj-", (WORD, 120)),
    "anthropic": ("sk", "-ant-", "api03-", (WORD, 93), "AA"),
    "anthropic-oauth": ("sk", "-ant-", "oat01-", (WORD, 86), "AA"),
    "openrouter": ("sk", "-or-v1-", (HEX, 64)),
    "huggingface": ("h", "f_", (ALNUM, 34)),
    "replicate": ("r", "8_", (ALNUM, 37)),
    "groq": ("gs", "k_", (ALNUM, 52)),
    "perplexity": ("ppl", "x-", (ALNUM, 48)),
    "xai": ("xa", "i-", (ALNUM, 80)),
    "databricks": ("da", "pi", (HEX, 32)),
    "sendgrid": ("S", "G.", (WORD, 22), ".", (WORD, 43)),
    "mailgun": ("ke", "y-", (HEX, 32)),
    "mailchimp": ((HEX, 32), "-", "us14"),
    "twilio": ("S", "K", (HEX, 32)),
    "brevo": ("xkey", "sib-", (HEX, 64), "-", (ALNUM, 16)),
    "postman": ("PM", "AK-", (HEX, 24), "-", (HEX, 34)),
    "newrelic": ("NR", "AK-", (UP36, 27)),
    "sentry": ("sntr", "ys_", (ALNUM, 80)),
    "grafana": ("gl", "sa_", (ALNUM, 32), "_", (HEX, 8)),
    "vault": ("hv", "s.", (WORD, 95)),
    "doppler": ("dp", ".pt.", (ALNUM, 43)),
    "pulumi": ("pu", "l-", (HEX, 40)),
    "terraform": ((ALNUM, 14), ".atlas", "v1.", (WORD, 67)),
    "linear": ("lin", "_api_", (ALNUM, 40)),
    "notion": ("nt", "n_", (DIGITS, 11), (ALNUM, 35)),
    "figma": ("fi", "gd_", (WORD, 40)),
    "airtable": ("pa", "t", (ALNUM, 14), ".", (HEX, 64)),
    "planetscale": ("pscale", "_tkn_", (WORD, 43)),
    "supabase": ("sb", "p_", (HEX, 40)),
    "netlify": ("nf", "p_", (ALNUM, 36)),
    "fly": ("fm", "2_", (BASE64, 120), "=="),
    "tailscale": ("ts", "key-auth-", (ALNUM, 12), "CNTRL-", (ALNUM, 32)),
    "age": ("AGE-SECRET", "-KEY-1", (UP36, 58)),
    "facebook": ("EA", "A", (ALNUM, 120)),
    "artifactory": ("AK", "Cp", (ALNUM, 69)),
    "sonar": ("sq", "p_", (HEX, 40)),
    "buildkite": ("bk", "ua_", (HEX, 40)),
    "circleci": ("CCI", "PAT_", (ALNUM, 22), "_", (HEX, 40)),
    "dynatrace": ("dt0", "c01.", (UP36, 24), ".", (UP36, 64)),
    "hubspot": (
        *("pa", "t-na1-", (HEX, 8), "-", (HEX, 4), "-", (HEX, 4), "-", (HEX, 4), "-", (HEX, 12)),
    ),
    "contentful": ("CFP", "AT-", (WORD, 43)),
    "jwt": ("ey", "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.ey", "J", (WORD, 70), ".", (WORD, 43)),
    "jwt-small": ("ey", "JhbGciOiJIUzI1NiJ9.ey", "J", (WORD, 20), ".", (WORD, 43)),
}
"""Kinds that can be told by their looks."""

PASSWORDS: tuple[tuple[Part, ...], ...] = (
    ((ALNUM, 16),),
    ((ALNUM, 10), "!", (DIGITS, 2)),
    ((LOWER, 6), (DIGITS, 4), "#", (UPPER, 2)),
    ((HEX, 32),),
    ((ALNUM, 40),),
)
NAMES = (
    *("DB_PASSWORD", "API_TOKEN", "CLIENT_SECRET", "SECRET_KEY", "STRIPE_API_KEY", "ADMIN_PASSWD"),
    *("ACCESS_TOKEN", "AWS_SECRET_ACCESS_KEY", "MYSQL_PWD", "ENCRYPTION_KEY"),
)


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    text: str
    secret: str
    """What must not be left in the text, or in what its JSON says."""

    @property
    def held_out(self) -> bool:
        return hashlib.sha256(self.name.encode()).digest()[0] % 2 == 1


def chance_of(name: str | int) -> random.Random:
    """The same each time: nothing here is secret."""
    return random.Random(name)  # noqa: S311 - that is the point


def made(parts: tuple[Part, ...], chance: random.Random) -> str:
    return "".join(
        part if isinstance(part, str) else "".join(chance.choices(part[0], k=part[1]))
        for part in parts
    )


def pem(chance: random.Random, kind: str = "RSA ") -> str:
    body = made(((BASE64, 64 * 12 + 30),), chance)
    lines = [body[at : at + 64] for at in range(0, len(body), 64)]
    word = "PRIVATE"
    return "\n".join(
        [f"-----BEGIN {kind}{word} KEY-----", *lines, f"-----END {kind}{word} KEY-----"]
    )


AROUND: dict[str, Callable[[str], str]] = {
    "plain": lambda s: f"the agent printed {s} and went on",
    "alone": lambda s: s,
    "line": lambda s: f"first line\n{s}\nlast line",
    "json": lambda s: json.dumps({"type": "text", "n": 1.50, "text": f"use {s} for it"}),
    "nested": lambda s: json.dumps({"result": json.dumps({"said": [f"now: {s}"]})}),
    "newline": lambda s: json.dumps({"content": f"line one\n{s}\nline two\tend"}),
    "unicode": lambda s: '{"text": "' + "".join(f"\\u{ord(c):04x}" for c in s) + '"}',
    "diff": lambda s: f"@@ -1 +1 @@\n-value = None\n+value = '{s}'\n",
    "trace": lambda s: f'  File "app.py", line 3, in call\n    raise E({s!r})\nE: bad {s}',
    "repr": lambda s: repr(f"read\n{s}\nend"),
    "yaml": lambda s: f"services:\n  - value: {s}\n    image: app:1.2\n",
    "shell": lambda s: f"+ deploy --with={s} --verbose",
    "coloured": lambda s: f"\x1b[32m{s}\x1b[0m ok",
    "query": lambda s: f"GET /items?page=2&t={s}&q=a HTTP/1.1",
}
ASSIGNED: dict[str, Callable[[str, str], str]] = {
    "env": lambda n, s: f"{n}={s}",
    "export": lambda n, s: f'export {n}="{s}"',
    "yaml": lambda n, s: f"  {n.lower()}: {s}\n",
    "yaml-quoted": lambda n, s: f"  {n.lower()}: '{s}'\n",
    "json": lambda n, s: json.dumps({"a": 1, n.lower(): s}),
    "json-camel": lambda n, s: json.dumps({_camel(n): s}),
    "python": lambda n, s: f'    {n.lower()} = "{s}"\n',
    "environ": lambda n, s: f'os.environ["{n}"] = "{s}"',
    "flag": lambda n, s: f"$ tool --{n.lower().replace('_', '-')} {s} --dry-run",
    "flag-equal": lambda n, s: f"$ tool --{n.lower().replace('_', '-')}={s}",
    "toml": lambda n, s: f'{n.lower()} = "{s}"',
    "diff": lambda n, s: f"-{n}=\n+{n}={s}\n",
    "in-json": lambda n, s: json.dumps({"output": f"$ env\nHOME=/root\n{n}={s}\nUSER=me\n"}),
    "xml": lambda n, s: f"<{n.lower()}>{s}</{n.lower()}>",
    "pair": lambda n, s: json.dumps({"name": n, "value": s}),
    "header": lambda n, s: f"X-{n.title().replace('_', '-')}: {s}",
}
OTHERS: dict[str, Callable[[str], str]] = {
    "postgres": lambda s: f"postgresql://app:{s}@db.internal:5432/app",
    "mysql": lambda s: f"DATABASE_URL=mysql://root:{s}@127.0.0.1/shop?ssl=1",
    "redis": lambda s: f"redis://:{s}@cache:6379/0",
    "amqp": lambda s: f'broker = "amqp://guest:{s}@mq:5672//"',
    "git-url": lambda s: f"fatal: could not read https://bot:{s}@git.example.org/a/b.git",
    "odbc": lambda s: f"Server=tcp:db;Database=a;User Id=sa;Password={s};Encrypt=yes",
    "bearer": lambda s: f"Authorization: Bearer {s}",
    "bearer-json": lambda s: json.dumps({"headers": {"Authorization": f"Bearer {s}"}}),
    "bearer-curl": lambda s: f"curl -H 'Authorization: Bearer {s}' https://api.example.org",
    "token-header": lambda s: f"authorization: token {s}",
    "basic": lambda s: f"Authorization: Basic {base64.b64encode(b'me:' + s.encode()).decode()}",
    "cookie": lambda s: f"Cookie: theme=dark; sessionid={s}; lang=en",
    "set-cookie": lambda s: f"< Set-Cookie: sid={s}; Path=/; HttpOnly",
    "netrc": lambda s: f"machine example.org login me password {s}",
    "sql": lambda s: f"CREATE USER app WITH PASSWORD '{s}';",
    "npmrc": lambda s: f"//registry.example.org/:_authToken={s}",
    "curl-user": lambda s: f"curl -u admin:{s} https://example.org/",
}
SEEDS = 2


def positives() -> Iterator[Case]:
    """Everything that must be found without being known."""
    for seed in range(SEEDS):
        yield from _of_looks(seed)
        yield from _by_name(seed)
        yield from _keys(seed)


def _of_looks(seed: int) -> Iterator[Case]:
    for kind, parts in TOKENS.items():
        for place, around in AROUND.items():
            name = f"{kind}/{place}/{seed}"
            secret = made(parts, random.Random(name))  # noqa: S311 - has to be the same each time
            yield Case(name, around(secret), secret)


def _by_name(seed: int) -> Iterator[Case]:
    for number, parts in enumerate(PASSWORDS):
        for key in NAMES:
            for place, assigned in ASSIGNED.items():
                name = f"{key}/{number}/{place}/{seed}"
                secret = made(parts, random.Random(name))  # noqa: S311 - the same
                yield Case(name, assigned(key, secret), secret)
        for place, around in OTHERS.items():
            name = f"{place}/{number}/{seed}"
            secret = made(parts, random.Random(name))  # noqa: S311 - the same
            if "#" in secret:
                secret = secret.replace("#", "x")  # ends the address of a URL
            shown = base64.b64encode(b"me:" + secret.encode()).decode()
            yield Case(name, around(secret), shown if place == "basic" else secret)


def _keys(seed: int) -> Iterator[Case]:
    for kind in ("", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "):
        chance = chance_of(f"{kind}{seed}")
        key = pem(chance, kind)
        body = key.splitlines()[5]
        yield Case(f"pem/{kind}plain/{seed}", f"cat key\n{key}\ndone\n", body)
        yield Case(f"pem/{kind}json/{seed}", json.dumps({"private_key": key + "\n"}), body)
        yield Case(f"pem/{kind}env/{seed}", f"KEY={json.dumps(key)}", body)
        added = "".join(f"+{line}\n" for line in key.splitlines())
        yield Case(f"pem/{kind}diff/{seed}", f"@@ -0,0 +1,15 @@\n{added} rest\n", body)
        indented = "".join(f"    {line}\n" for line in key.splitlines())
        yield Case(f"pem/{kind}yaml/{seed}", f"tls:\n  key: |\n{indented}next: 1\n", body)


def known_forms(value: str) -> Iterator[Case]:
    """One known value in the forms in which it may turn up."""
    raw = value.encode()
    yield Case("known/plain", f"it is {value}.", value)
    yield Case("known/inside", f"aa{value}bb", value)
    yield Case("known/json", json.dumps({"text": f"it is {value}"}), value)
    yield Case("known/escaped", f"text: {json.dumps(value)}", json.dumps(value)[1:-1])
    yield Case("known/url", f"?a={quote(value, safe='')}&b=1", quote(value, safe=""))
    for before in (b"", b"u:", b"us:"):
        whole = base64.b64encode(before + raw + b":end").decode()
        yield Case(f"known/base64/{len(before)}", f"blob {whole} end", whole[6:18])
        safe = base64.urlsafe_b64encode(before + raw).decode()
        yield Case(f"known/base64-url/{len(before)}", f"blob={safe}", safe[6:18])


def _camel(name: str) -> str:
    first, *rest = name.lower().split("_")
    return first + "".join(word.title() for word in rest)
