"""The recorder inside the user's program: what it keeps, when it looks, where it writes.

Standard library only, apart from the probes it calls: a program's environment need not have more.
"""
