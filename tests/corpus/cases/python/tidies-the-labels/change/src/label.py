def parcel(name, address):
    street = f"{address['street']} {address['number']}"
    words = [name, street, address["town"], address["country"]]
    return ", ".join(words).replace("  ", " ").strip().upper()
