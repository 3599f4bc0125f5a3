"""Which of several names is the target, and which are inputs."""

from collections.abc import Sequence

from traindx.errors import TraindxError, UnknownNameError
from traindx.format import listed, printable

_TARGETS = ("y", "label", "labels", "target", "targets", "class", "classes", "category", "outcome")
_INPUTS = (
    "x",
    "input",
    "inputs",
    "data",
    "features",
    "image",
    "images",
    "pixel_values",
    "input_ids",
    "tokens",
)
_TRAINING = ("train", "training")
_VALIDATION = ("val", "valid", "validation", "test", "dev")


def target_among(where: str, names: Sequence[str], wanted: str | None) -> tuple[str, tuple[str, ...]]:
    """The column to predict, and a note where it was guessed."""
    if wanted is not None:
        if wanted in names:
            return wanted, ()
        if wanted.removeprefix("-").isdecimal() and -len(names) <= int(wanted) < len(names):
            return names[int(wanted)], ()
        shown = listed([printable(name, 40) for name in names], 12)
        raise TraindxError(f'{printable(where)}: has no column "{printable(wanted, 60)}"; it has {shown}')
    for known in _TARGETS:
        for name in names:
            if name.strip().lower() == known:
                return name, (
                    f"target: the column {printable(name, 40)}, by its name; --target names another",
                )
    if len(names) < 2:
        return "", ("no target: there is a single column",)
    return names[-1], (
        f"target: {printable(names[-1], 40)}, the last column, as a guess; --target names another",
    )


def keyed(names: Sequence[str], part: str) -> tuple[str | None, str | None]:
    """The names of inputs and target among arrays or parts of a batch; part "" where there is but one."""
    own = _TRAINING if part == "training" else _VALIDATION if part else ("",)
    return _first(names, own, _INPUTS), _first(names, own, _TARGETS)


def keys_of(where: str, names: Sequence[str], target: str | None) -> tuple[str, str | None]:
    """Inputs and target of a file with one part; refuses where they cannot be told."""
    inputs, guess = keyed(names, "")
    if target is not None and target not in names:
        raise UnknownNameError(f"array of {printable(where)}", target, names)
    chosen = target or guess
    if inputs is None or inputs == chosen:
        others = [name for name in names if name != chosen]
        if len(others) != 1:
            shown = ", ".join(printable(name, 40) for name in names)
            raise TraindxError(f"{where}: which of {shown} holds the inputs? save them as x and y")
        inputs = others[0]
    return inputs, chosen


def _first(names: Sequence[str], splits: Sequence[str], known: Sequence[str]) -> str | None:
    plain = {name.lower().replace("_", "").replace("-", "").replace(" ", ""): name for name in names}
    # x_train and train_x are both in use.
    wanted = [order for split in splits for one in known for order in (one + split, split + one)]
    return next((plain[one.replace("_", "")] for one in wanted if one.replace("_", "") in plain), None)
