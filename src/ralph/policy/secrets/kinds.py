"""Tokens that can be told by their looks.

Each kind has what its tokens begin with and what follows. Every token holds at least `RUN`
characters in a row out of `A-Za-z0-9_-`, which is how `finding` notices that there may be one.
Most begin with that run; those in `APART` begin before it, behind a mark that the run follows.
"""

from __future__ import annotations

import re
from functools import cache

from msgspec import Struct

from ralph.policy.secrets.judging import says_that_it_is_none

RUN = 20

_W = r"[A-Za-z0-9_-]"
_A = r"[A-Za-z0-9]"
_H = r"[a-f0-9]"
_END = r"(?![A-Za-z0-9])"
_UUID = rf"{_H}{{8}}-{_H}{{4}}-{_H}{{4}}-{_H}{{4}}-{_H}{{12}}"


class SecretKind(Struct, frozen=True):
    name: str
    begins: str
    rest: str
    certain: bool = False
    """Sure enough to send work back that adds one to the source."""


_BROKEN = (
    SecretKind("stripe webhook secret", r"whsec_", r"[A-Za-z0-9+/]{24,}=*"),
    SecretKind("sentry token", r"sntry[su]_", r"[A-Za-z0-9+/=_-]{40,}"),
    SecretKind("grafana token", r"glc_", r"[A-Za-z0-9+/]{32,}=*"),
    SecretKind("fly.io token", r"fm[12][ar]?_", r"[A-Za-z0-9+/=,]{50,}"),
)
"""Base64 without a name: a `/` or `+` may come before the long run."""
KINDS = (
    *_BROKEN,
    SecretKind("aws access key", r"A(?:KIA|SIA)", r"[0-9A-Z]{16}\b", certain=True),
    SecretKind("github token", r"gh[pousr]_", rf"{_A}{{36,}}\b", certain=True),
    SecretKind("github token", r"github_pat_", r"\w{40,}\b", certain=True),
    SecretKind("gitlab token", r"glpat-", r"[\w-]{20,}", certain=True),
    SecretKind("gitlab token", r"gl(?:oas|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct)-", rf"{_W}{{20,}}"),
    SecretKind("bitbucket token", r"ATBB", rf"{_A}{{32}}{_END}"),
    SecretKind("atlassian token", r"ATATT3", r"[\w=-]{60,}"),
    SecretKind("slack token", r"xox[abprs]-", r"[A-Za-z0-9-]{20,}", certain=True),
    SecretKind("slack token", r"x(?:ox[eo]|app-\d)-", r"[A-Za-z0-9-]{20,}"),
    SecretKind("stripe key", r"sk_(?:live|test)_", rf"{_A}{{16,}}"),
    SecretKind("stripe key", r"rk_(?:live|test)_", rf"{_A}{{16,}}"),
    SecretKind("square token", r"sq0[a-z]{3}-", rf"{_W}{{22,}}"),
    SecretKind("shopify token", r"shp(?:at|ca|pa|ss)_", r"[a-fA-F0-9]{32}"),
    SecretKind("google api key", r"AIza", r"[\w-]{35}", certain=True),
    SecretKind("google client secret", r"GOCSPX-", rf"{_W}{{28}}"),
    SecretKind("alibaba key", r"LTAI", rf"{_A}{{16,24}}{_END}"),
    SecretKind("tencent key", r"AKID", rf"{_A}{{32}}{_END}"),
    SecretKind("yandex key", r"AQVN", rf"{_W}{{35,38}}{_END}"),
    SecretKind("digitalocean token", r"do[opr]_v1_", rf"{_H}{{64}}"),
    SecretKind("heroku token", r"HRKU-", rf"{_W}{{36,}}"),
    SecretKind("npm token", r"npm_", rf"{_A}{{36}}{_END}"),
    SecretKind("pypi token", r"pypi-AgE", rf"{_W}{{50,}}"),
    SecretKind("rubygems key", r"rubygems_", rf"{_H}{{48}}"),
    SecretKind("crates.io token", r"cio", rf"{_A}{{32}}{_END}"),
    SecretKind("nuget key", r"oy2", rf"[a-z0-9]{{43}}{_END}"),
    SecretKind("docker token", r"dckr_[po]at_", rf"{_W}{{20,}}"),
    SecretKind("clojars token", r"CLOJARS_", r"[a-z0-9]{60}"),
    SecretKind("anthropic key", r"sk-ant-", rf"{_W}{{20,}}"),
    SecretKind("api key", r"sk-", r"[A-Za-z0-9_-]{32,}", certain=True),
    SecretKind("hugging face token", r"hf_", rf"{_A}{{30,}}"),
    SecretKind("replicate token", r"r8_", rf"{_A}{{36,}}"),
    SecretKind("groq key", r"gsk_", rf"{_A}{{40,}}"),
    SecretKind("perplexity key", r"pplx-", rf"{_A}{{40,}}"),
    SecretKind("xai key", r"xai-", rf"{_A}{{60,}}"),
    SecretKind("databricks token", r"dapi", rf"{_H}{{32}}(?:-\d)?{_END}"),
    SecretKind("mailgun key", r"key-", rf"{_H}{{32}}{_END}"),
    SecretKind("twilio key", r"SK", rf"{_H}{{32}}{_END}"),
    SecretKind("brevo key", r"xkeysib-", rf"{_H}{{64}}-{_A}{{16}}"),
    SecretKind("postman key", r"PMAK-", rf"{_H}{{24}}-{_H}{{34}}"),
    SecretKind("new relic key", r"NR(?:AK|II|AA)-", rf"{_W}{{27,}}"),
    SecretKind("grafana token", r"glsa_", r"\w{32,}"),
    SecretKind("pulumi token", r"pul-", rf"{_H}{{40}}"),
    SecretKind("linear key", r"lin_(?:api|oauth)_", rf"{_A}{{32,}}"),
    SecretKind("notion token", r"ntn_", rf"{_A}{{40,}}"),
    SecretKind("figma token", r"fig[dou]_", rf"{_W}{{40,}}"),
    SecretKind("planetscale token", r"pscale_(?:tkn|pw|oauth)_", r"[\w.-]{32,}"),
    SecretKind("supabase key", r"sbp_", rf"{_H}{{40}}"),
    SecretKind("supabase key", r"sb_secret_", rf"{_W}{{20,}}"),
    SecretKind("netlify token", r"nfp_", rf"{_A}{{36,}}"),
    SecretKind("tailscale key", r"tskey-[a-z]+-", rf"{_A}+-{_A}{{20,}}"),
    SecretKind("age key", r"AGE-SECRET-KEY-1", r"[0-9A-Z]{58}"),
    SecretKind("facebook token", r"EAA", rf"{_A}{{90,}}"),
    SecretKind("artifactory token", r"AKCp", rf"{_A}{{60,}}"),
    SecretKind("sonar token", r"sq[pua]_", rf"{_H}{{40}}"),
    SecretKind("buildkite token", r"bk(?:ua|at|ct)_", rf"{_H}{{40}}"),
    SecretKind("circleci token", r"CCI(?:PAT|PRJ)_", rf"{_A}{{20,}}_{_H}{{40}}"),
    SecretKind("hubspot token", r"pat-[a-z]{2}\d-", _UUID),
    SecretKind("contentful token", r"CFPAT-", rf"{_W}{{43}}"),
    SecretKind("json web token", r"eyJ", rf"{_W}{{14,}}\.eyJ{_W}{{10,}}(?:\.{_W}{{10,}})?"),
)
APART = (
    *_BROKEN,
    SecretKind(
        "slack webhook", r"hooks\.slack\.com/(?:services|workflows|triggers)/", r"[\w/-]{30,}"
    ),
    SecretKind("discord webhook", r"discord(?:app)?\.com/api/webhooks/", r"\d{15,20}/[\w-]{50,}"),
    SecretKind("discord token", rf"[MNO]{_W}{{23,27}}\.{_W}{{6}}\.", rf"{_W}{{27,38}}(?!{_W})"),
    SecretKind("telegram token", r"\d{8,10}:AA", rf"{_W}{{33}}(?!{_W})"),
    SecretKind("teams webhook", r"webhook\.office\.com/webhookb2/", r"[\w@/-]{60,}"),
    SecretKind("braintree token", r"access_token\$", rf"[a-z]+\$[a-z0-9]{{16}}\${_H}{{32}}"),
    SecretKind("google access token", r"ya29\.", r"[\w.-]{20,}"),
    SecretKind("google refresh token", r"1//0", rf"{_W}{{30,}}"),
    SecretKind("azure client secret", r"[\w~.-]{3}[0-9]Q~", r"[\w~.-]{31,34}"),
    SecretKind("azure signature", r"sig=", r"[A-Za-z0-9%/+_-]{40,}={0,2}"),
    SecretKind("cloudflare key", r"v1\.0-", rf"{_H}{{24}}-{_H}{{100,}}"),
    SecretKind("sendgrid key", r"SG\.", rf"{_W}{{16,}}\.{_W}{{32,}}"),
    SecretKind("mailchimp key", rf"{_H}{{32}}-us", rf"\d{{1,2}}{_END}"),
    SecretKind("vault token", r"hv[sbr]\.", rf"{_W}{{24,}}"),
    SecretKind("doppler token", r"dp\.(?:pt|st|ct|sa|scim|audit)\.", rf"(?:[\w-]+\.)?{_A}{{40,}}"),
    SecretKind("terraform token", rf"{_A}{{14}}\.atlasv1\.", rf"{_W}{{60,}}"),
    SecretKind("airtable token", rf"pat{_A}{{14}}\.", rf"{_H}{{64}}"),
    SecretKind("dynatrace token", r"dt0[a-z]\d\d\.", r"[A-Z0-9]{24}\.[A-Z0-9]{64}"),
)
"""Those whose long run is not at their beginning."""
_KEY = r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----"
_BEFORE = rb"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=[0-9]m)|(?<=\[m)|(?<=%[0-9A-F]{2}))"
"""A token begins after these: also after an escaped line break, a colour, or `%3D`."""
_JUNK = rb"(?:[nrtbfm]|[0-9]{1,2}m|[0-9A-F]{2})?"
"""What of that may look like a part of the run."""


@cache
def at_start() -> re.Pattern[bytes]:
    """Matches where a long run begins that begins a token; the group is the token's beginning."""
    return re.compile(_JUNK + rb"(" + _beginnings() + rb")")


@cache
def within() -> re.Pattern[bytes]:
    """Finds the beginning of a token within a run."""
    return re.compile(rb"[_-](?=(" + _beginnings() + rb"))")


@cache
def tokens() -> re.Pattern[bytes]:
    """A whole token, to be matched where one begins; the number of its group says which kind."""
    each = (f"((?:{kind.begins}){kind.rest})".encode() for kind in KINDS)
    return re.compile(_BEFORE + rb"(?:" + rb"|".join(each) + rb")")


@cache
def apart() -> re.Pattern[bytes]:
    """The same of those in `APART`, to be searched for around a run."""
    each = (f"((?:{kind.begins}){kind.rest})".encode() for kind in APART)
    return re.compile(_BEFORE + rb"(?:" + rb"|".join(each) + rb")")


LEADS = re.compile(
    rb"SG\.|ya29\.|hv[sbr]\.|dp\.[a-z]{2,5}\.|atlasv1\.|pat[A-Za-z0-9]{14}\.|dt0[a-z]\d\d\.|v1\."
    rb"|1//|sig=|[0-9]Q~|hooks|webhookb2/|access_token\$|[0-9]:(?=AA)|fm[12][ar]?_|whsec_|sntry[su]_|glc_"
)
"""What stands before the run of those in `APART`, some characters away at most."""


def _beginnings() -> bytes:
    """All of them, by their first letter: that is twice as fast."""
    by_letter: dict[str, list[str]] = {}
    for begins in dict.fromkeys(kind.begins for kind in KINDS):
        by_letter.setdefault(begins[0], []).append(begins[1:])
    return "|".join(f"{one}(?:{'|'.join(rest)})" for one, rest in by_letter.items()).encode()


@cache
def certain() -> re.Pattern[str]:
    """Those that are never anything else, and the beginning of a private key."""
    each = (f"(?:{kind.begins}){kind.rest}" for kind in KINDS if kind.certain)
    return re.compile(rf"{_KEY}|\b(?:{'|'.join(each)})\b", re.ASCII)


def sure(text: str) -> str:
    """The first of them in a text that does not itself say that it is none: `AKIA…EXAMPLE`."""
    found = (match[0] for match in certain().finditer(text))
    return next((one for one in found if not says_that_it_is_none(one)), "")


def name_of(token: str) -> str:
    """What kind of secret this is, of those that are certain."""
    found = tokens().match(token.encode("utf-8", "replace"))
    return "private key" if found is None else KINDS[(found.lastindex or 1) - 1].name
