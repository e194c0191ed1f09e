from __future__ import annotations

import base64
import hashlib
import json
import sysconfig
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.secrets import (
    ALNUM,
    AROUND,
    HEX,
    TOKENS,
    chance_of,
    known_forms,
    made,
    pem,
    positives,
)

from ralph.domain.event import EVENTS
from ralph.policy.secrets import kinds, naming
from ralph.policy.secrets.judging import is_trivial
from ralph.policy.secrets.known import known
from ralph.policy.secrets.masker import Masker
from ralph.policy.secrets.stream import LONGEST, MaskedStream
from ralph.reading.analyse import analyse

if TYPE_CHECKING:
    from tests.support.secrets import Case

OUTPUTS = sorted((Path(__file__).parent / "outputs").glob("*.md"))
CASES = tuple(positives())
KNOWN = known({"MY_TOKEN": "Zx9-" * 9, "DB_PASSWORD": 'p"w\\d€&7x!', "SHORT": "abc1", "CI": "true"})
FOUND = 0.99
FALSE_HITS = 3
"""Per megabyte."""


def left_over(case: Case, masked: str) -> bool:
    """Whether anything of the secret can still be read."""
    seen = masked
    if case.text.startswith("{"):
        seen += json.dumps(json.loads(masked), ensure_ascii=False)
    return case.secret in seen or case.secret[4:-2] in seen


@pytest.mark.parametrize("held_out", [False, True])
def test_nearly_every_secret_of_the_corpus_is_found(held_out: bool) -> None:
    cases = [case for case in CASES if case.held_out is held_out]
    missed = [case.name for case in cases if left_over(case, Masker().text(case.text))]
    assert len(cases) > 1000
    assert len(missed) <= (1 - FOUND) * len(cases), missed


@pytest.mark.parametrize("kind", TOKENS)
def test_every_kind_of_token_is_found_wherever_it_stands(kind: str) -> None:
    mine = [case for case in CASES if case.name.startswith(f"{kind}/")]
    assert len(mine) == 2 * len(AROUND)
    assert not [case.name for case in mine if left_over(case, Masker().text(case.text))]


def test_there_are_more_kinds_than_were_asked_for() -> None:
    assert len({kind.name for kind in (*kinds.KINDS, *kinds.APART)}) >= 60


def test_ordinary_source_has_few_false_hits() -> None:
    library = Path(sysconfig.get_paths()["stdlib"])
    size = 0
    masker = Masker()
    for path in sorted(library.glob("*.py")):
        text = path.read_text(encoding="utf-8", errors="replace")
        size += len(text)
        masker.text(text)
    assert size > 3_000_000
    assert masker.counts.total() <= FALSE_HITS * size / 1_000_000, masker.counts


def chaff() -> str:
    """What looks like chance and is no secret: hashes, ids, lock files, pictures, packed code."""
    chance = chance_of(7)
    lines: list[str] = []
    for number in range(1500):
        blob = chance.randbytes(300)
        digest = hashlib.sha256(blob).hexdigest()
        lines += (
            f"commit {digest[:40]}",
            f"{digest}  dist/package-{number}.tar.gz",
            f'"left-pad-{number}": {{"integrity": "sha512-{base64.b64encode(blob).decode()}"}},',
            f'    {{file = "thing-{number}-py3-none-any.whl", hash = "sha256:{digest}"}},',
            f"id: {uuid.UUID(bytes=blob[:16])} request_id={uuid.UUID(bytes=blob[16:32])}",
            f"tests/test_login.py::test_token_{number}_is_refreshed[param{number}] PASSED",
            f"2026-11-18T04:{number % 60:02}:11Z INFO key {number} of 1500, token count {number}",
            f'<img src="data:image/png;base64,{base64.b64encode(blob).decode()}">',
            f"!function(e,t){{var n=e.key{number},r=t.token;n.k=r.a||{number};return n}}(a,b);",
            f"index {digest[:7]}..{digest[7:14]} 100644",
            f"The password must have {number} characters; a token is sent to you by mail.",
            f"max_tokens: {number}, prompt_tokens={number * 3}, cache_key: v{number}-linux-py311",
            f"PASSWORD_FILE=/run/secrets/db_{number} token_type: bearer token_url: /oauth/{number}",
            f"    def set_password(self, password: str, token: Token{number}) -> None:",
            "password: ${DB_PASSWORD} token: {{ secrets.TOKEN }} API_KEY=<your-key-here>",
        )
    return "\n".join(lines)


def test_hashes_lock_files_and_packed_code_have_few_false_hits() -> None:
    text = chaff()
    masker = Masker()
    masker.text(text)
    assert len(text) > 1_500_000
    assert masker.counts.total() <= FALSE_HITS * len(text) / 1_000_000, masker.counts


@pytest.mark.parametrize(
    "value", ["Zx9-" * 9, 'p"w\\d€&7x!', "s3cr3t-but-short", made(((ALNUM, 40),), chance_of(1))]
)
def test_a_known_value_is_found_in_all_its_forms(value: str) -> None:
    masker = Masker(known({"MY_TOKEN": value}))
    for case in known_forms(value):
        masked = masker.text(case.text)
        assert not left_over(case, masked), (case.name, masked)
        assert "[masked: MY_TOKEN]" in masked


def test_known_values_that_are_nothing_special_stay() -> None:
    common = ("true", "localhost", "production", "/usr/local/bin", "12345678", "8.5.2024", "abc12")
    plain = ("correct horse", "my-service-name", "https://example.org/path", "./build/output.txt")
    assert all(is_trivial(value) for value in (*common, *plain))
    masker = Masker(known(dict.fromkeys(("A", "B"), "production") | {"C": "my-service-name"}))
    assert masker.text("my-service-name in production") == "my-service-name in production"


def test_a_key_of_many_lines_leaves_one_word() -> None:
    text = f"before\n{pem(chance_of(2))}\nafter\n"
    assert Masker().text(text) == "before\n[masked: private key]\nafter\n"


def test_a_key_without_an_end_hides_nothing_but_itself() -> None:
    whole = pem(chance_of(2)).splitlines()
    masked = Masker().text("\n".join([*whole[:5], "Then the tests ran.", "All passed."]))
    assert masked == "[masked: private key]\nThen the tests ran.\nAll passed."


def test_json_keeps_all_but_the_secret() -> None:
    token = made(TOKENS["github-classic"], chance_of(3))
    line = f'{{"b":1.50, "a" : [1e3,"\\u00e9 {token}\\n"],"token":"{token}", "b":null }}'
    masked = Masker().text(line)
    name = "[masked: github token]"
    assert masked == f'{{"b":1.50, "a" : [1e3,"\\u00e9 {name}\\n"],"token":"{name}", "b":null }}'


def test_what_is_allowed_stays() -> None:
    token = made(TOKENS["stripe-test"], chance_of(3))
    text = f"STRIPE_API_KEY={token}"
    assert Masker().text(text) != text
    assert Masker(allowed=(token,)).text(text) == text


def test_counts_say_what_there_was() -> None:
    chance = chance_of(4)
    masker = Masker()
    for kind in ("github-classic", "npm", "npm"):
        masker.text(made(TOKENS[kind], chance))
    assert masker.counts == {"github token": 1, "npm token": 2}


def test_no_field_of_an_event_has_a_name_that_tells_of_a_secret() -> None:
    names = {name for event in EVENTS.values() for name in event.__struct_fields__}
    assert not [name for name in names if naming.is_secret(name)]


def test_a_certain_kind_is_what_it_was() -> None:
    chance = chance_of(5)
    sure = ("aws-key-id", "github-classic", "github-fine", "gitlab-personal", "slack-bot")
    for kind in (*sure, "google-api", "openai", "anthropic"):
        assert kinds.certain().search(f"x = '{made(TOKENS[kind], chance).rstrip('-')}'"), kind
    for kind in ("mailgun", "twilio", "jwt", "telegram", "discord-bot", "npm", "sendgrid"):
        assert not kinds.certain().search(f"x = '{made(TOKENS[kind], chance)}'")
    assert kinds.certain().search(pem(chance))


def test_a_key_that_says_it_is_an_example_is_none() -> None:
    key = made(TOKENS["aws-key-id"], chance_of(6))
    example = f"{key[:4]}IOSFODNN7EXAMPLE"
    assert kinds.sure(f"a = '{example}'") == ""
    assert kinds.sure(f"a = '{example}'\nb = '{key}'") == key


# Properties

_lines = st.integers(0, len(CASES) - 1).map(lambda number: CASES[number].text)
_noise = st.text(max_size=40) | st.sampled_from(
    ["\n", " ", '"', "\\", "{", "}", "token=", "password: ", "://a:", "@", "\x1b[0m", "\ud800", "é"]
)
texts = st.lists(_lines | _noise, max_size=6).map("".join)


def masker() -> Masker:
    return Masker(KNOWN)


@given(texts)
@example("Zx9-" * 9 + "gh" + "p_" + "a1B2" * 9)
def test_what_is_masked_stays_as_it_is(text: str) -> None:
    once = masker().text(text)
    assert masker().text(once) == once


@given(texts, st.lists(st.integers(1, 50), min_size=1, max_size=20))
def test_pieces_are_masked_as_the_whole(text: str, sizes: list[int]) -> None:
    data = text.encode("utf-8", "surrogatepass")
    whole, pieces = MaskedStream(masker()), MaskedStream(masker())
    expected = whole.feed(data) + whole.close()
    found = b""
    start = number = 0
    while start < len(data):
        end = start + sizes[number % len(sizes)]
        found += pieces.feed(data[start:end])
        start, number = end, number + 1
    assert found + pieces.close() == expected


@given(st.binary(max_size=300))
def test_any_bytes_are_taken(data: bytes) -> None:
    stream = MaskedStream(masker())
    stream.feed(data)
    stream.close()


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(_json, st.booleans(), st.sampled_from([None, 2]))
def test_json_stays_json_of_the_same_shape(
    value: object, ascii_only: bool, indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    if indent is None:
        assert shape(json.loads(masker().text(text))) == shape(value)
    body = masker().body(text.encode("utf-8", "surrogatepass"))
    assert shape(json.loads(body.decode("utf-8", "surrogatepass"))) == shape(value)


def shape(value: object) -> object:
    if isinstance(value, dict):
        return [shape(one) for one in value.values()]
    if isinstance(value, list):
        return [shape(one) for one in value]
    return "text" if isinstance(value, str) else value


@given(
    st.sampled_from(OUTPUTS), st.lists(st.sampled_from(CASES), min_size=1, max_size=5), st.data()
)
def test_claims_are_read_from_masked_words_as_from_raw_ones(
    output: Path, cases: list[Case], data: st.DataObject
) -> None:
    lines = output.read_text(encoding="utf-8").split("\n")
    for case in cases:
        lines.insert(data.draw(st.integers(0, len(lines))), case.text)
    words = "\n".join(lines)
    raw, masked = (analyse(text, "US-001") for text in (words, masker().text(words)))
    assert [(c.kind, c.task) for c in masked.all] == [(c.kind, c.task) for c in raw.all]


def test_an_endless_line_is_let_out_and_masked_all_the_same() -> None:
    token = made(TOKENS["npm"], chance_of(6))
    data = (b"word " * 1000 + token.encode() + b" ") * 600
    whole, pieces = MaskedStream(masker()), MaskedStream(masker())
    expected = whole.feed(data) + whole.close()
    found = b"".join(pieces.feed(data[at : at + 70_001]) for at in range(0, len(data), 70_001))
    assert len(data) > 2 * LONGEST
    assert len(found) > LONGEST
    assert found + pieces.close() == expected
    assert token.encode() not in expected
    assert expected.count(b"[masked: npm token]") == 600


def test_hex_that_nobody_named_stays() -> None:
    digest = made(((HEX, 64),), chance_of(8))
    assert Masker().text(f"sha256:{digest} {digest[:40]}") == f"sha256:{digest} {digest[:40]}"


@pytest.mark.parametrize("unit", ["sk-", "-eyJ", "-----BEGIN PRIVATE " + "KEY-----", 'password="'])
def test_text_made_of_beginnings_is_done_in_the_time_of_other_text(unit: str) -> None:
    # the time would grow with the square of the length: a test that hangs has failed
    masked = Masker().text(unit * (100_000 // len(unit)) + "\nThe end.")
    assert masked.endswith("\nThe end.")
    assert Masker().text(masked) == masked


def test_a_token_of_any_length_is_masked_to_its_end() -> None:
    long = made(TOKENS["openai-project"], chance_of(9)) + made(((ALNUM, 20_000),), chance_of(9))
    assert Masker().text(f"a {long} b") == "a [masked: api key] b"
