"""Starts recording as soon as the program has imported torch.

Loaded by `sitecustomize.py` beside it in every Python process of the program, most of which never import
torch: nothing is imported here that Python has not loaded by itself.
"""

import os
import sys
from _frozen_importlib_external import PathFinder
from _thread import get_ident

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.abc import Loader
    from importlib.machinery import ModuleSpec
    from types import ModuleType

    LeaveWord = Callable[..., None]

_LIBRARIES = ("keras", "tensorflow", "jax", "torch", "sklearn", "xgboost", "lightgbm", "catboost")
"""Libraries that train: which of them a program used says what else could be seen of it."""
_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
"""The folder of the package `traindx` that started the program."""


def install(leave_word: "LeaveWord") -> None:
    """Wait for torch, or begin at once where something has imported it already."""
    finder = _Finder(leave_word)
    sys.meta_path.insert(0, finder)
    if "TRAINDX_MOVED" in os.environ:
        import traindx_copy  # type: ignore[import-not-found]  # beside this file

        del sys.modules["traindx_copy"]
        traindx_copy.begin(*os.environ["TRAINDX_MOVED"].split(os.pathsep))
    _tell_at_exit(leave_word)
    _tell_of_files(leave_word)
    for name in ("torch", "keras"):
        if name in sys.modules:
            finder.imported(name)


class _Finder:
    """Finds what others find, and tells when torch or keras has been imported; finds `traindx` itself."""

    def __init__(self, leave_word: "LeaveWord") -> None:
        self._leave_word = leave_word
        self._awaited = {"torch": self._attach, "keras": _attach_to_keras}

    def find_spec(
        self, name: str, path: "Sequence[str] | None" = None, target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        """The spec another finder gives, watched; for all other names, none."""
        if name == "traindx":
            # Only this one package: the folder it lies in holds others, which the program must not see.
            return PathFinder.find_spec(name, [os.path.dirname(_PACKAGE)])
        if name not in self._awaited:
            return None
        spec = self._found_by_others(name, path, target)
        if spec is not None and spec.loader is not None:
            try:
                self._watch(spec.loader, name)
            except Exception as error:
                self._failed(error)
        return spec

    def _found_by_others(
        self, name: str, path: "Sequence[str] | None", target: "ModuleType | None"
    ) -> "ModuleSpec | None":
        finders = list(sys.meta_path)
        position = next((i for i, finder in enumerate(finders) if finder is self), -1)
        for finder in finders[position + 1 :]:
            find = getattr(finder, "find_spec", None)
            spec = None if find is None else find(name, path, target)
            if spec is not None:
                return spec  # type: ignore[no-any-return]  # what a finder finds
        return None

    def _watch(self, loader: "Loader", name: str) -> None:
        """Let one loader tell when it has executed its module; afterward it is as it was."""
        execute = loader.exec_module
        before = dict(vars(loader))

        def exec_module(module: "ModuleType") -> None:
            if "exec_module" in before:
                loader.exec_module = execute  # type: ignore[method-assign]
            else:
                vars(loader).pop("exec_module", None)
            execute(module)
            self.imported(name)

        # Python removes the frames of its own importing from tracebacks, and so this one too.
        code = exec_module.__code__.replace(co_filename="<frozen importlib._bootstrap_external>")
        exec_module.__code__ = code
        loader.exec_module = exec_module  # type: ignore[method-assign]

    def imported(self, name: str) -> None:
        """Begin what was to begin when a module has been imported, once."""
        # A module that is executed apart from sys.modules is a copy of somebody's own.
        begin = self._awaited.pop(name, None) if name in sys.modules else None
        if begin is None:
            return
        try:
            begin()
        except Exception as error:
            self._failed(error)

    def _attach(self) -> None:
        torch = sys.modules["torch"]
        self._leave_word(torch=str(getattr(torch, "__version__", "")))
        if "TRAINDX_TRIAL" in os.environ:
            # Before the recorder, so that it sees the program as it is changed.
            from traindx.changes.live.apply import begin_from_environment

            begin_from_environment()
        import gc
        from time import process_time

        began, collects = process_time(), gc.isenabled()
        # What torch's import has left to collect is no cost of ours: it comes a moment later.
        gc.disable()
        try:
            from traindx.recorder.hooks.attachment import attach_from_environment
            from traindx.recorder.hooks.monkeypatch import hide_from_tracebacks

            attach_from_environment(began)
            hide_from_tracebacks()
        finally:
            if collects:
                gc.enable()

    def _failed(self, error: Exception) -> None:
        try:
            self._leave_word(problem="failed", why=f"{type(error).__name__}: {error}", where=_place_of(error))
        except Exception:  # nobody is left to tell
            return


def _tell_at_exit(leave_word: "LeaveWord") -> None:
    """Tell at the end of the libraries that were imported, and of the exception that ended the program."""
    is_loaded = "atexit" in sys.modules
    # Not sys.excepthook: the program may look at it, or put its own there.
    import atexit

    atexit.register(_tell_of_libraries, leave_word, os.getpid())
    atexit.register(_tell_of_death, leave_word, os.getpid())
    if not is_loaded:
        # What is registered belongs to the interpreter; the program need not see a module it did not import.
        del sys.modules["atexit"]


def _tell_of_files(leave_word: "LeaveWord") -> None:
    """Tell of every file that is opened for writing, at once: the program may be killed."""
    paths: set[str] = set()
    telling: set[int] = set()

    def hear(event: str, about: tuple[object, ...]) -> None:
        if event not in _OPENING or not (path := _written_by(event, about)) or path in paths:
            return
        thread = get_ident()
        # What is left a word of is written to a file, too.
        if thread in telling or len(paths) >= _MOST_TOLD:
            return
        telling.add(thread)
        try:
            paths.add(path)
            leave_word(wrote=path)
        except Exception:  # nobody is left to tell
            return
        finally:
            telling.discard(thread)

    for own in (hear, _written_by):
        # As for the import of torch: neither a traceback nor a compiler of the program's code looks into it.
        own.__code__ = own.__code__.replace(co_filename="<frozen importlib._bootstrap_external>")
    sys.addaudithook(hear)


_OPENING = frozenset({"open", "os.rename", "sqlite3.connect"})
_WRITING = os.O_WRONLY | os.O_RDWR
_MOST_TOLD = 5000
"""Files of one process that are told of at most: of more it is not the logs that make so many."""


def _written_by(event: str, about: "tuple[object, ...]") -> str:
    """The file that an event of the interpreter lets be written; empty if there is none."""
    try:
        flags = about[2] if event == "open" else _WRITING
        path = about[1 if event == "os.rename" else 0]
        if not isinstance(flags, int) or not flags & _WRITING or isinstance(path, int):
            return ""
        name = os.fsdecode(os.fspath(path))  # type: ignore[call-overload]  # refused if it is no path
        if event == "sqlite3.connect":
            name = name.removeprefix("file:").partition("?")[0]
        return "" if not name or "__pycache__" in name else os.path.abspath(name)
    except Exception:  # whatever a program passes for a path
        return ""


def _tell_of_libraries(leave_word: "LeaveWord", process: int) -> None:
    """Tell which libraries that train the program has imported; a fork that ends for itself is not it."""
    imported = " ".join(name for name in _LIBRARIES if name in sys.modules)
    if not imported or os.getpid() != process:
        return
    try:
        leave_word(imported=imported)
    except Exception:  # nobody is left to tell
        return


def _tell_of_death(leave_word: "LeaveWord", process: int) -> None:
    """Tell of the exception that ends the program; a fork that ends for itself is not the program."""
    error = getattr(sys, "last_value", None)
    if error is None or os.getpid() != process:
        return
    try:
        first = (str(error).strip().splitlines() or [""])[0]
        died = f"{type(error).__name__}: {first}" if first else type(error).__name__
        leave_word(died=died, where=_place_of(error))
    except Exception:  # nobody is left to tell
        return


def _attach_to_keras() -> None:
    if "torch" not in sys.modules:
        return  # another backend
    from traindx.recorder.hooks.attachment import keras_imported

    keras_imported()


def _place_of(error: BaseException) -> str:
    """The file and line that raised an error: the last one that is not of an installed package."""
    frame, places = error.__traceback__, []
    while frame is not None:
        places.append(f"{frame.tb_frame.f_code.co_filename}:{frame.tb_lineno}")
        frame = frame.tb_next
    own = [
        location
        for location in places
        if "-packages" not in location and not location.startswith(("<", sys.base_prefix))
    ]
    return (own or places or [""])[-1]
