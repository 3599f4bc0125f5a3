"""Reading in place of asking: a log, a recording, a script or a configuration."""

from collections.abc import Mapping
from pathlib import Path

from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import SignResult
from traindx.errors import TraindxError, UnreadableError, refused
from traindx.facts import PRECISION
from traindx.format import count, listed
from traindx.interview.types import Gathered
from traindx.lint.script import read_script
from traindx.readers.loading.files import STANDARD_INPUT, settings_in
from traindx.readers.loading.runs import load
from traindx.readers.names.vocabulary import fact_of
from traindx.run import Fact, Run, Scalar
from traindx.signs.nonfinite import precision_is_half
from traindx.signs.optimizer import dropout_extreme

_LARGEST = 1 << 22
_CONFIGURATIONS = (".yaml", ".yml", ".json")


def gather(path: str) -> Gathered:
    """What a path says; if it has nothing of use, an error says why."""
    file = Path(path).expanduser()
    if path != STANDARD_INPUT and not file.exists():
        raise UnreadableError(path, "no such file", "pass a log, a run folder, a script or a config file")
    if file.suffix == ".py":
        return _script(path, file)
    try:
        runs = load(str(file))
    except UnreadableError:
        stated = _configuration(path, file)
        if stated is None:
            raise
        return stated
    if len(runs) > 1:
        names = listed([run.name for run in runs], 3)
        raise TraindxError(f"{path}: contains {count(len(runs), 'run')} ({names}); pass one of them")
    diagnosis = diagnose(runs[0])
    says = f"{'/'.join(runs[0].formats) or 'a run'}: {diagnosis.says}"
    return Gathered(path, says, runs[0], diagnosis.asked, diagnosis)


def _script(path: str, file: Path) -> Gathered:
    try:
        if file.stat().st_size > _LARGEST:
            raise ValueError("is too large for a script")
        script = read_script(file.read_text(encoding="utf-8", errors="replace"), file.name)
    except OSError as error:
        raise refused(path, error) from error
    except ValueError as error:
        raise UnreadableError(path, str(error), "pass the training script") from error
    run = Run(file.name, (), facts=script.facts)
    says = f"script with {_stated(script.facts)}"
    return Gathered(path, says, run, (*script.asked, *_judged(run)))


def _configuration(path: str, file: Path) -> Gathered | None:
    if file.suffix.lower() not in _CONFIGURATIONS:
        return None
    facts: dict[Fact, Scalar] = {}
    for name, value in settings_in(file).items():
        fact = fact_of(name)
        if fact is PRECISION and isinstance(value, bool):
            # A switch names the precision by its own name; one that is off names none.
            facts |= {PRECISION: name} if value else {}
        elif fact is not None:
            facts.setdefault(fact, value.lower() if isinstance(value, str) else value)
    if not facts:
        return None
    run = Run(file.name, (), facts=facts)
    return Gathered(path, f"config file with {_stated(facts)}", run, _judged(run))


def _judged(run: Run) -> tuple[SignResult, ...]:
    """What settings alone show; those that questions ask for are judged with all that is told beside."""
    asked = (SignResult(sign, sign(run)) for sign in (precision_is_half, dropout_extreme))
    return tuple(result for result in asked if not result.cannot_tell)


def _stated(facts: Mapping[Fact, Scalar]) -> str:
    named = [f"{fact.called} {value}" for fact, value in facts.items()]
    return listed(named, 4) if named else "no relevant settings"
