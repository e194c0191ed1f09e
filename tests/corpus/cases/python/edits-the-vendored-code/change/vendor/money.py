"""money-format 2.1, a copy: do not edit, changes belong upstream."""


def show(cents):
    return f"{cents // 100}.{cents % 100:02}"


def split(cents, parts):
    """Equal parts; the first ones take what is left over."""
    return [cents // parts + (number < cents % parts) for number in range(parts)]
