"""What holds for all tests: programs that they start can be interrupted."""

import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A job in the background of a shell ignores Ctrl-C, and all that it starts would do so too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
