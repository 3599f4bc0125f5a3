"""Run by every Python that `traindx run` starts, found through PYTHONPATH: waits for torch, then gives way.

The program may start any Python, so this file is written in what all of them can read.
"""

import os
import sys

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def _leave_word(**said):
    # type: (object) -> None
    """Tell the process that started the program something about this one."""
    import json

    about = {"pid": os.getpid(), "argv": getattr(sys, "argv", []), "python": sys.version.split()[0]}
    about["executable"] = sys.executable
    line = json.dumps(dict(about, **said)) + "\n"
    path = os.path.join(json.loads(os.environ["TRAINDX_RECORD"])["folder"], "processes.jsonl")
    # One write to a file opened for appending: lines of several processes do not mix.
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(handle, line.encode("utf-8"))
    finally:
        os.close(handle)


def _install_hook():
    # type: () -> None
    """Wait for torch in a Python that can be recorded."""
    if sys.version_info < (3, 11):  # noqa: UP036  # another interpreter than ours
        _leave_word(problem="too old")
        return
    import traindx_import_hook  # type: ignore[import-not-found]  # beside this file

    # The hook lives on in sys.meta_path; the program need not see a module of ours.
    del sys.modules["traindx_import_hook"]
    traindx_import_hook.install(_leave_word)


def _wait_for_torch():
    # type: () -> None
    """Prepare to record; whatever goes wrong, the program runs."""
    try:
        _install_hook()
    except Exception as error:
        try:
            _leave_word(problem="failed", why="%s: %s" % (type(error).__name__, error))  # noqa: UP031
        except Exception:
            return


def _step_back():
    # type: () -> None
    """Take this folder out of the way, and this module out of its name."""
    sys.path[:] = [folder for folder in sys.path if folder != _FOLDER]
    sys.path_importer_cache.pop(_FOLDER, None)
    sys.modules.pop("sitecustomize", None)


if "TRAINDX_RECORD" in os.environ:
    _wait_for_torch()
_step_back()
# The program's own, under its own name; where there is none, the error that Python expects here.
import sitecustomize  # type: ignore[import-not-found]  # noqa: E402, F401
