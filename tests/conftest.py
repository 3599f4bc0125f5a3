"""What holds for all tests: programs that they start can be interrupted, and take one processor each."""

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
