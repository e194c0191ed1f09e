import sys

from logrep.parse import parse
from logrep.render import render


def main(args):
    if len(args) != 1:
        print("usage: logrep FILE", file=sys.stderr)
        return 2
    with open(args[0], encoding="utf-8") as file:
        hits = [hit for line in file if (hit := parse(line))]
    print(render(hits))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
