"""Write contacts as vCards."""


def vcard(contact):
    lines = ["BEGIN:VCARD", "VERSION:4.0", f"FN:{contact.name}"]
    if contact.email:
        lines.append(f"EMAIL:{contact.email}")
    if contact.phone:
        lines.append(f"TEL:{contact.phone}")
    return "\n".join([*lines, "END:VCARD"]) + "\n"
