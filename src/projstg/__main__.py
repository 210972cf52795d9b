"""The command ``projstg``, also as ``python -m projstg``."""

import sys

from ._interrupt import stop_at_once

__all__ = ["main"]


def main() -> int:
    """Run the command line; set what Ctrl-C does before anything else is imported."""
    stop_at_once()
    from .cli import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
