"""The conformance kit: what every unit of a kind must hold, for our own tests and for plugins."""

from traindx.testing.causes import check_cause
from traindx.testing.readers import check_reader
from traindx.testing.signs import check_sign

__all__ = ["check_cause", "check_reader", "check_sign"]
