"""The console script, and `python -m pate.app`. It imports nothing before it can be interrupted in one word."""

from __future__ import annotations

import sys


def main() -> None:
    try:
        from pate.app.cli import main as command  # takes a second or two

        command()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
