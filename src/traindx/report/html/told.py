"""What a page has said already, so that its tables do not say it again and again."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from traindx.report.blocks import Block, Code, Diff, Entry, Section, Term


class Told:
    """The code and the remarks of the cards so far, and the findings of the tables."""

    def __init__(self) -> None:
        self._findings: set[str] = set()
        self._lines: set[Block] = set()

    def new(self, blocks: Iterable[Block | Section]) -> list[Block | Section]:
        """Blocks without the code and the remarks that a card has."""
        return [
            block for block in blocks if not isinstance(block, Code | Diff | Term) or block not in self._lines
        ]

    def carded(self, blocks: Iterable[Block | Section]) -> list[Block | Section]:
        """What a card shows of some blocks: not what a section tells in full."""
        shown = [block for block in blocks if not (isinstance(block, Entry | Term) and block.brief)]
        self._lines |= {block for block in shown if isinstance(block, Code | Diff | Term)}
        return shown

    def add(self, findings: Iterable[str]) -> None:
        """Take note of what a table told."""
        self._findings |= set(findings)

    def has(self, finding: str) -> bool:
        """Whether a table has told this finding."""
        return finding in self._findings

    @contextmanager
    def within(self, section: Section) -> Iterator[None]:
        """What is said of one run is not said of another."""
        before = self._findings.copy(), self._lines.copy()
        yield
        if section.key:
            self._findings, self._lines = before
