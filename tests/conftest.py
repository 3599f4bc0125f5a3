"""What holds for all tests: what they start can be interrupted and takes one processor; garbage is cheap."""

import gc
import os
import signal

from hypothesis import settings

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A job in the background of a shell ignores Ctrl-C, and all that it starts would do so too.
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Before torch is imported. Several tests run beside each other, and threads that wait for each other by
# turning round take four times the processor time of one.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# No deadline: how long an example takes depends on what else the machine does.
settings.register_profile("traindx", deadline=None)
settings.load_profile("traindx")


def pytest_collection() -> None:
    """Nothing of what is imported now becomes garbage."""
    gc.disable()


def pytest_collection_finish() -> None:
    """What was collected lives to the end: a million objects that no later collection has to walk over.

    Keras collects garbage before every model, and so does the contract of the probes.
    """
    gc.enable()
    gc.collect()
    gc.freeze()
