"""What a page has said already, so that nothing is on it twice."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from traindx.report.blocks import Block, Code, Diff, Entry, Paragraph, Section, Term


class Told:
    """The sentences and lines of code of the cards so far."""

    def __init__(self) -> None:
        self._sentences = ""
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
        self.add(block.says for block in shown if isinstance(block, Paragraph | Entry))
        return shown

    def add(self, sentences: Iterable[str]) -> None:
        """Take note of what was said."""
        self._sentences = "\n".join((self._sentences, *sentences)).lower()

    def has(self, sentence: str) -> bool:
        """Whether the page has this sentence."""
        return bool(sentence) and sentence.lower() in self._sentences

    @contextmanager
    def within(self, section: Section) -> Iterator[None]:
        """What is said of one run is not said of another."""
        before = self._sentences, self._lines.copy()
        yield
        if section.key:
            self._sentences, self._lines = before
