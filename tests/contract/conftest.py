"""The ledgers that the contract holds for, each opened afresh for a test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.ledgers import InMemory, InPostgres, InSqlite, waits
from tests.support.postgres import team_database

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.ledgers import House, Ledger
    from tests.support.postgres import Database


@pytest.fixture(scope="module")
def database(pg_url: str) -> Iterator[Database]:
    with team_database(pg_url) as made:
        yield made


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    if request.param == "memory":
        yield InMemory()
        return
    stored: InSqlite | InPostgres = (
        InSqlite(tmp_path / "ledger.db")
        if request.param == "sqlite"
        else InPostgres(request.getfixturevalue("database"))
    )
    yield stored
    for ledger in stored.opened:
        ledger.close()


@pytest.fixture
def ledger(house: House) -> Ledger:
    return house.open()


@pytest.fixture
def five(house: House) -> House:
    house.open().append("p", "r", waits(1, 2, 3, 4, 5), 1)
    return house
