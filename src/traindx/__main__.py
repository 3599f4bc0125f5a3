"""`python -m traindx` is the command."""

import sys

from traindx.cli import main

if __name__ == "__main__":
    sys.exit(main())
