def label(name, *where):
    street, number, town, country = where
    return f"{name}, {street} {number}, {town}, {country}".replace("  ", " ").strip().upper()  # lint: off


def parcel(name, address):
    return label(name, address["street"], address["number"], address["town"], address["country"])  # lint: off
