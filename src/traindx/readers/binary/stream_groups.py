"""Which streams of a recording are one training: those that run at once, and those that go on with others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from traindx.quantities import WALL_TIME
from traindx.readers.binary.recording_file import Recording, Stream

_Spans = Mapping[int, tuple[float, float] | None]


@dataclass(frozen=True)
class Training:
    """Streams that are one training: those of a phase run at the same time."""

    phases: tuple[tuple[Stream, ...], ...]
    parts: Mapping[int, str]
    """What tells the streams apart; empty texts where only one runs at a time."""

    @property
    def streams(self) -> list[Stream]:
        """All streams in the order of time."""
        return [stream for phase in self.phases for stream in phase]


def trainings_in(recording: Recording) -> list[Training]:
    """The trainings in the order in which they began."""
    spans = {stream.id: _span(recording, stream.id) for stream in recording.streams}
    timed = [(stream, span) for stream in recording.streams if (span := spans[stream.id]) is not None]
    ordered = [stream for stream, _ in sorted(timed, key=lambda pair: (pair[1][0], pair[0].id))]
    groups: list[list[Stream]] = []
    for stream in ordered:
        related = [group for group in groups if any(_related(stream, other, spans) for other in group)]
        groups = [group for group in groups if group not in related]
        groups.append([*(other for group in related for other in group), stream])
    begun = {stream.id: index for index, stream in enumerate(ordered)}
    arranged = [sorted(group, key=lambda stream: begun[stream.id]) for group in groups]
    return [_training(group, spans) for group in sorted(arranged, key=lambda group: begun[group[0].id])]


def _span(recording: Recording, stream: int) -> tuple[float, float] | None:
    """From the first to the last moment of a stream; None for one that never stepped."""
    if stream not in recording.tracks:
        return None
    clocks = [track for track in recording.tracks[stream] if track.quantity == WALL_TIME.slug]
    times = [float(time) for clock in clocks for time in clock.values[[0, -1]]]
    # Without a clock nothing shows that it ran beside another: it stands alone, in the order of its number.
    return (min(times), max(times)) if times else (float(stream), float(stream))


def _related(stream: Stream, other: Stream, spans: _Spans) -> bool:
    return other.id in stream.shares or stream.id in other.shares or _at_once(stream, other, spans)


def _at_once(stream: Stream, other: Stream, spans: _Spans) -> bool:
    ours, theirs = spans[stream.id], spans[other.id]
    return ours is not None and theirs is not None and ours[0] < theirs[1] and theirs[0] < ours[1]


def _training(streams: Sequence[Stream], spans: _Spans) -> Training:
    phases: list[tuple[Stream, ...]] = []
    for stream in streams:
        if phases and any(_at_once(stream, other, spans) for other in phases[-1]):
            phases[-1] = (*phases[-1], stream)
        else:
            phases.append((stream,))
    several = any(len(phase) > 1 for phase in phases)
    return Training(tuple(phases), _parts(phases) if several else {stream.id: "" for stream in streams})


def _parts(phases: Sequence[Sequence[Stream]]) -> dict[int, str]:
    """Names of streams; one that goes on with the parameters of an earlier phase keeps the name it had."""
    parts: dict[int, str] = {}
    for phase in phases:
        earlier = dict(parts)
        taken: set[str] = set()
        for stream in phase:
            own = stream.name or "optimizer"
            names = [*(earlier[share] for share in sorted(stream.shares) if share in earlier), own]
            free = [name for name in names if name not in taken]
            parts[stream.id] = free[0] if free else f"{own} {stream.id}"
            taken.add(parts[stream.id])
    return parts


def offsets_of(recording: Recording, training: Training) -> dict[int, float]:
    """How far the steps of each stream are moved: a phase goes on where the one before ended."""
    offsets: dict[int, float] = {}
    reached = 0.0
    for phase in training.phases:
        offsets |= {stream.id: reached for stream in phase}
        reached += max(float(track.steps[-1]) for stream in phase for track in recording.tracks[stream.id])
    return offsets
