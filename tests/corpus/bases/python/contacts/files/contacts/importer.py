"""Read contacts from CSV."""

import csv
import io
from dataclasses import dataclass

from contacts.phone import normalise


@dataclass(frozen=True)
class Contact:
    name: str
    email: str = ""
    phone: str = ""


def read(text):
    people = []
    for row in csv.DictReader(io.StringIO(text)):
        people.append(Contact(row["name"].strip(), row["email"].strip().lower(), normalise(row["phone"])))
    return people
