"""Minutes as people write them."""


def as_text(minutes):
    if minutes < 0:
        raise ValueError("a time cannot be negative")
    return f"{minutes // 60}h {minutes % 60:02}m"


def parse(text):
    hours, minutes = text.rstrip("m").split("h")
    return int(hours) * 60 + int(minutes)
