"""A proven patch, kept in the folder of its treatment: `traindx apply` writes it without another trial."""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from traindx.changes.source.patch import Patch
from traindx.errors import TraindxError

_FILE = "proof.json"


@dataclass(frozen=True)
class Proof:
    """What is known of a patch: that a treatment proved it, when, and whether it was applied."""

    patch: Patch
    verdict: str
    """With how many seeds it helped: "3 of 3 seeds"."""
    when: str
    """In UTC, as ISO 8601: texts in this form sort by time."""
    reproduced: bool | None = None
    """Whether the patched program showed the effect; None where it was not run."""
    backup: str = ""
    """Where the file as it was is kept; empty while the patch is not applied."""

    @property
    def age(self) -> float:
        """Seconds since it was proven."""
        return (datetime.now(UTC) - datetime.fromisoformat(self.when)).total_seconds()


def new_proof(patch: Patch, verdict: str, reproduced: bool | None) -> Proof:
    """A patch that was proven just now."""
    return Proof(patch, verdict, datetime.now(UTC).isoformat(timespec="milliseconds"), reproduced)


def write_proof(folder: Path, proof: Proof) -> None:
    """Keep a proof in the folder of its treatment, or what has become of it."""
    try:
        (folder / _FILE).write_text(json.dumps(asdict(proof), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise TraindxError(f"{folder / _FILE}: can't write it ({error.strerror})") from error


def applied(proof: Proof, backup: Path | None) -> Proof:
    """The proof of a patch that was applied, or undone again."""
    return replace(proof, backup="" if backup is None else str(backup))


def read_proof(folder: Path) -> Proof:
    """The proof in the folder of a treatment; refused where there is none."""
    try:
        told = json.loads((folder / _FILE).read_text(encoding="utf-8"))
        return Proof(**{**told, "patch": Patch(**told["patch"])})
    except FileNotFoundError:
        todo = "see its report, or treat the program again"
        raise TraindxError(f"{folder}: this treatment proved no patch; {todo}") from None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise TraindxError(f"{folder / _FILE}: damaged ({error}); treat the program again") from error


def treatments_in(out: Path) -> list[Path]:
    """The folders of treatments that proved a patch, the last proven last."""
    return [folder for _, folder in sorted((proof.when, folder) for folder, proof in _proofs(out))]


def applied_in(out: Path) -> list[Path]:
    """The folders of treatments whose patch is applied, the last applied last."""
    found = [folder for folder, proof in _proofs(out) if proof.backup]
    # The proof is written anew when its patch is applied.
    return sorted(found, key=lambda folder: (folder / _FILE).stat().st_mtime)


def _proofs(out: Path) -> Iterator[tuple[Path, Proof]]:
    """All that can be read; whoever names another one hears what is wrong with it."""
    for path in out.glob(f"*/{_FILE}"):
        with suppress(TraindxError):
            yield path.parent, read_proof(path.parent)
