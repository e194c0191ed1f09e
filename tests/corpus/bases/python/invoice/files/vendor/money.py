"""money-format 2.1, a copy: do not edit, changes belong upstream."""


def show(cents):
    return f"{cents // 100}.{cents % 100:02}"


def split(cents, parts):
    """Equal parts; what is left over is lost."""
    return [cents // parts] * parts
