"""Prints a price: python -m shop 1250"""

import sys

from shop.price import Price


def main(words):
    if len(words) != 1 or not words[0].isdigit():
        print("usage: python -m shop CENTS", file=sys.stderr)
        return 2
    print(Price(int(words[0])))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
