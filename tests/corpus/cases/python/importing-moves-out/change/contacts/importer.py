"""Read contacts from CSV."""

import csv
import io
from dataclasses import dataclass

from contacts import normal


@dataclass(frozen=True)
class Contact:
    name: str
    email: str = ""
    phone: str = ""


def read(text):
    return [_contact(row) for row in csv.DictReader(io.StringIO(text))]


def _contact(row):
    try:
        phone = normal.phone(row["phone"])
    except ValueError:
        phone = ""
    return Contact(normal.name(row["name"]), normal.email(row["email"]), phone)
