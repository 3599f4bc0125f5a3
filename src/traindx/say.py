"""Whom a long task tells what is going on."""

from collections.abc import Callable

Say = Callable[[str], None]
"""Is told one line at a time."""
