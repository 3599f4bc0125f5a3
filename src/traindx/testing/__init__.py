"""The conformance kit: what every unit of a kind must hold, for our own tests and for plugins."""

from traindx.testing.readers import check_reader

__all__ = ["check_reader"]
