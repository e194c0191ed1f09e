def label(name, street, number, town, country):
    return f"{name}, {street} {number}, {town}, {country}".replace("  ", " ").strip().upper()


def parcel(name, address):
    return label(name, address["street"], address["number"], address["town"], address["country"])
