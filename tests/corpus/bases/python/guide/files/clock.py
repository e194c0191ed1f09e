"""Minutes as people write them."""


def as_text(minutes):
    if minutes < 0:
        raise ValueError("a time cannot be negative")
    return f"{minutes // 60}:{minutes % 60:02}"


def parse(text):
    hours, minutes = text.split(":")
    return int(hours) * 60 + int(minutes)
