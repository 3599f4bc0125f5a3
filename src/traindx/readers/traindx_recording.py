"""traindx's own recordings: `.traindx/runs/<name>/rank-0.traindx`, a SQLite database per process.

columns: id, stream, quantity, layer, part        layouts: id, columns     rows: layout, count, data
    1  1  train_loss                                  1  [1, 2, 3]             1  50  <50 x (step, 3 values)>
    2  1  gradient_norm  fc1.weight

Every number is stored under its quantity, so no metric name is guessed. A stream is what one optimizer
trains. Streams that run at the same time are one training (a GAN), and so are streams that follow each other
and share parameters (phases: steps count on). Streams that follow each other and share nothing are trainings
of their own, such as the folds of a cross-validation.
"""

import json
import os
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from traindx import facts as f
from traindx.errors import UnreadableError
from traindx.facts import FACTS
from traindx.quantities import QUANTITIES
from traindx.readers.binary.recording_file import (
    APPLICATION_ID,
    FORMAT,
    Happening,
    Recording,
    Track,
    recording_in,
)
from traindx.readers.binary.sqlite import readable, table_columns_in
from traindx.readers.binary.stream_groups import Training, offsets_of, trainings_in
from traindx.readers.types import Column, Log, Reader, Source
from traindx.run import Event, EventKind, Fact, Floats, Parameter, Rows, Scalar, Skipped

_MAGIC = b"SQLite format 3\0"
_APPLICATION = slice(68, 72)
_PROCESS = 0
"""The stream that stands for the process as a whole."""
_NEWER = "written by a newer version of traindx"
_ENDINGS = frozenset({EventKind.EXCEPTION.value, EventKind.INTERRUPTED.value})
_OF_THE_MODEL = frozenset(
    fact.slug
    for fact in (f.FROZEN_PARAMETERS, f.UNOPTIMIZED_PARAMETERS, f.STALE_PARAMETERS, f.GRADIENTLESS_PARAMETERS)
)
"""What holds of the last phase only: a backbone that was frozen at first is not frozen any more."""
_OF_THE_START = f.INITIAL_LOSS.slug


def recognizes(source: Source) -> float:
    """1 where a SQLite database says that it is a recording, or has its tables."""
    if not source.head.startswith(_MAGIC):
        return 0.0
    if source.head[_APPLICATION] == APPLICATION_ID.to_bytes(4, "big"):
        return 1.0
    # While it is new, all but the empty first page stands in the file beside it.
    return 1.0 if table_columns_in(source, "rows") >= {"layout", "count", "data"} else 0.0


def read(source: Source) -> Iterator[Log]:
    """Yield one log per training."""
    with readable(source, "recording", "record it again") as connection:
        recording = recording_in(connection)
    form = recording.meta.get("format")
    if isinstance(form, str) and form != FORMAT:
        what = f"recording format {form}, but this version reads {FORMAT}"
        raise UnreadableError(source.path, what, "update traindx")
    trainings = trainings_in(recording)
    if not trainings:
        if not _tells_why(recording):
            raise UnreadableError(source.path, *_nothing(recording))
        yield _stepless(source, recording)
    for number, training in enumerate(trainings, start=1):
        name = f"training {number}" if len(trainings) > 1 else ""
        yield _log(source, recording, training, name, is_last=number == len(trainings))


def _tells_why(recording: Recording) -> bool:
    """Whether a recording without a step says why there is none."""
    fell_over = any(happening.kind == EventKind.EXCEPTION.value for happening in recording.happenings)
    return fell_over or any(f.LABEL_FAULT.slug in stated for stated in recording.facts.values())


def _stepless(source: Source, recording: Recording) -> Log:
    """What is known of a program that fell over before its first step."""
    facts = dict(_meta_facts(recording.meta))
    for _, stated in sorted(recording.facts.items()):
        facts |= stated
    log = _log_of(source, recording, {stream.id: 0.0 for stream in recording.streams}, facts, is_last=True)
    model = tuple(layer for stream in sorted(recording.layers) for layer in recording.layers[stream])
    return replace(log, settings=_versions(recording), model=model)


def _log_of(
    source: Source,
    recording: Recording,
    offsets: Mapping[int, float],
    facts: Mapping[str, Scalar],
    *,
    is_last: bool,
) -> Log:
    """What a recording states besides numbers, and what of it is not known."""
    events, odd = _events(source, recording, offsets, is_last)
    unknown = [*(slug for slug in facts if slug not in FACTS), *odd]
    return Log(
        source=source.path,
        events=events,
        unread=tuple(Skipped(name, 1, _NEWER) for name in unknown),
        facts={FACTS[slug]: value for slug, value in facts.items() if slug in FACTS},
        whole=True,
    )


def _nothing(recording: Recording) -> tuple[str, str]:
    """Why there is no step, and what to do."""
    if recording.damage:
        return f"no step can be read ({recording.damage[0]})", "record it again"
    ended = [happening.says for happening in recording.happenings if happening.kind in _ENDINGS]
    if ended:
        return f"no step recorded: {ended[-1]}", "run it until the first step"
    return "no step recorded", "wait for the first step"


def _log(source: Source, recording: Recording, training: Training, name: str, *, is_last: bool) -> Log:
    offsets = offsets_of(recording, training)
    tracks = [track for stream in training.streams for track in recording.tracks[stream.id]]
    known = [track for track in tracks if track.quantity in QUANTITIES]
    unknown = [track for track in tracks if track.quantity not in QUANTITIES]
    log = _log_of(source, recording, offsets, _facts(recording, training), is_last=is_last)
    return replace(
        log,
        columns=tuple(_columns(known, training.parts, offsets)),
        settings=_settings(recording, training),
        unread=(
            *(Skipped(track.quantity, len(track.values), _NEWER) for track in unknown),
            *log.unread,
            *(Skipped("numbers", count, why) for why, count in recording.lost.items()),
        ),
        run=name,
        model=_model(recording, training),
    )


def _columns(
    tracks: Iterable[Track], parts: Mapping[int, str], offsets: Mapping[int, float]
) -> Iterator[Column]:
    pieces: dict[tuple[str, str, str], list[tuple[Floats, Floats]]] = {}
    for track in tracks:
        part = " ".join(word for word in (parts[track.stream], track.part) if word)
        offset = offsets[track.stream]
        steps = track.steps + offset if offset else track.steps
        pieces.setdefault((track.quantity, part, track.layer), []).append((steps, track.values))
    counted: dict[int, tuple[Floats, Rows]] = {}  # columns that share their steps share their rows
    for (slug, part, layer), blocks in pieces.items():
        steps = blocks[0][0] if len(blocks) == 1 else np.concatenate([steps for steps, _ in blocks])
        values = blocks[0][1] if len(blocks) == 1 else np.concatenate([values for _, values in blocks])
        if id(steps) not in counted:
            counted[id(steps)] = steps, steps.astype(np.int64)
        yield Column(
            name="/".join(word for word in (slug, part, layer) if word),
            values=values,
            steps=steps,
            rows=counted[id(steps)][1],
            quantity=QUANTITIES[slug],
            layer=layer,
            part=part,
        )


def _events(
    source: Source, recording: Recording, offsets: Mapping[int, float], is_last: bool
) -> tuple[tuple[Event, ...], list[str]]:
    """The events of a training, and the kinds that are not known."""
    kinds = {kind.value: kind for kind in EventKind}
    ours = [
        happening
        for happening in recording.happenings
        if happening.stream in offsets or _is_ours(happening, is_last)
    ]
    events = [
        Event(
            kinds[event.kind],
            event.says,
            None if event.step is None else event.step + offsets.get(event.stream, 0.0),
            event.layer,
            event.operation,
            event.batch,
        )
        for event in ours
        if event.kind in kinds
    ]
    torn = [f"damaged recording: {what}" for what in recording.damage]
    if is_last and not torn and _is_open(source):
        torn.append("the recording was not closed: the program is still running or was killed")
    events += [Event(EventKind.TORN, says) for says in torn]
    return tuple(events), [event.kind for event in ours if event.kind not in kinds]


def _is_ours(event: Happening, is_last: bool) -> bool:
    """Whether an event of the process concerns a training: its end only the last one."""
    return event.stream == _PROCESS and (is_last or event.kind not in _ENDINGS)


def _is_open(source: Source) -> bool:
    """Whether the file beside it still holds records, which the writer moves into it at the end."""
    try:
        return source.data is None and os.path.getsize(f"{source.path}-wal") > 0
    except OSError:
        return False


def _facts(recording: Recording, training: Training) -> dict[str, Scalar]:
    """Facts by slug: of the process, of the streams (the last phase counts, the first stream of it)."""
    facts: dict[str, Scalar] = {**_meta_facts(recording.meta), **recording.facts.get(_PROCESS, {})}
    last = training.phases[-1]
    for phase in training.phases:
        for stream in reversed(phase):
            stated = recording.facts.get(stream.id, {})
            facts |= {
                slug: value for slug, value in stated.items() if phase is last or slug not in _OF_THE_MODEL
            }
    if len(last) > 1:
        facts[f.OPTIMIZERS_IN_TURN.slug] = len(last)
    started = recording.facts.get(training.streams[0].id, {})
    return facts | {slug: value for slug, value in started.items() if slug == _OF_THE_START}


def _meta_facts(meta: Mapping[str, object]) -> dict[str, Scalar]:
    keys: dict[str, Fact] = {
        "script": f.SCRIPT,
        "exit_code": f.EXIT_CODE,
        "experiment": f.EXPERIMENT,
        "rank": f.RANK,
        "ranks": f.RANKS,
    }
    facts = {
        keys[key].slug: value for key, value in meta.items() if key in keys and isinstance(value, Scalar)
    }
    for key, fact in (("arguments", f.PROGRAM_ARGUMENTS), ("command", f.COMMAND)):
        words = meta.get(key)
        if isinstance(words, list) and words:
            facts[fact.slug] = shlex.join(map(str, words))
    return facts


def _settings(recording: Recording, training: Training) -> dict[str, Scalar]:
    """Versions, and where streams state different things, what each of them states."""
    settings = _versions(recording)
    streams = training.streams
    stated = {stream.id: recording.facts.get(stream.id, {}) for stream in streams}
    for slug in dict.fromkeys(slug for facts in stated.values() for slug in facts):
        if len({json.dumps(facts.get(slug)) for facts in stated.values()}) > 1:
            for index, stream in enumerate(streams, start=1):
                owner = training.parts[stream.id] or f"phase {index}"
                if slug in stated[stream.id]:
                    settings[f"{owner}.{slug}"] = stated[stream.id][slug]
    return settings


def _versions(recording: Recording) -> dict[str, Scalar]:
    versions = {key: recording.meta.get(key) for key in ("traindx", "python", "torch")}
    return {key: value for key, value in versions.items() if isinstance(value, str)}


def _model(recording: Recording, training: Training) -> tuple[Parameter, ...]:
    """The parameters of all streams, as the last of them left those that several hold."""
    layers: dict[tuple[str, tuple[int, ...]], Parameter] = {}
    for stream in training.streams:
        for layer in recording.layers.get(stream.id, ()):
            layers[layer.name, layer.shape] = replace(layer, part=training.parts[stream.id])
    uses = Counter(name for name, _ in layers)
    # The name alone tells a layer apart, unless two models use it for different ones.
    return tuple(layer if uses[layer.name] > 1 else replace(layer, part="") for layer in layers.values())


READER = Reader(slug="traindx_recording", title="traindx recording", recognizes=recognizes, read=read)
