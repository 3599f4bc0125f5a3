"""What the server and the process that treats a program say to each other, a line each."""

from pydantic import BaseModel

from traindx.mcp.treatments import TreatmentFound
from traindx.mcp.verdicts import Detail


class Job(BaseModel):
    """What the process is to do; it reads it from its standard input."""

    words: list[str]
    """The command."""
    out: str
    """Where treatments are kept."""
    name: str
    """What this one is called."""
    shown: str
    """Its folder, as the agent is told it."""
    detail: Detail
    only: list[str]
    steps: int | None
    seeds: int
    trials: int
    minutes: float
    is_dry: bool


class Word(BaseModel):
    """What the process says: how far it is, why it cannot, or what came of it."""

    says: str = ""
    error: str = ""
    found: TreatmentFound | None = None

    @property
    def is_last(self) -> bool:
        """Whether nothing follows."""
        return bool(self.error) or self.found is not None
