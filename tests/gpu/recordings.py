"""Files of recorded rows: graphs, what steps feed and fetch, and TensorFlow's answers."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

import dataflow as tf
from dataflow.proto.tensor_pb2 import TensorProto

Values = Mapping[str, np.ndarray]


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """One `session.run`."""

    fetches: tuple[str, ...]
    feeds: Values
    expected: tuple[np.ndarray | None, ...]
    """TensorFlow's answers; None for an operation."""
    error: str = ""
    """The class of TensorFlow's error, if the step fails."""
    session: str = ""
    """Steps of one name share a session."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A row in one element type."""

    id: str
    graph: bytes
    """The serialized GraphDef."""
    steps: tuple[RecordedStep, ...]
    tolerances: Mapping[str, tuple[float, float]]
    """Relative and absolute, by floating element type."""
    cpus: int = 1


def save(path: str, recordings: Iterable[Recording]) -> int:
    """Writes recordings; how many there were."""
    index = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:

        def kept(data: bytes) -> str:
            name = f"{len(archive.namelist())}"
            archive.writestr(name, data)
            return name

        def array(value: np.ndarray | None) -> str | None:
            return None if value is None else kept(tf.make_tensor_proto(value).SerializeToString())

        graphs: dict[bytes, str] = {}
        for recording in recordings:
            if recording.graph not in graphs:
                graphs[recording.graph] = kept(recording.graph)
            steps = [
                {
                    **asdict(step),
                    "feeds": {name: array(value) for name, value in step.feeds.items()},
                    "expected": list(map(array, step.expected)),
                }
                for step in recording.steps
            ]
            index.append(
                {
                    "id": recording.id,
                    "graph": graphs[recording.graph],
                    "steps": steps,
                    "tolerances": recording.tolerances,
                    "cpus": recording.cpus,
                }
            )
        archive.writestr("index.json", json.dumps(index))
    return len(index)


def load(path: str) -> list[Recording]:
    """Reads what `save` has written."""
    with zipfile.ZipFile(path) as archive:

        def array(name: str) -> np.ndarray:
            proto = TensorProto.FromString(archive.read(name))
            made: np.ndarray = tf.make_ndarray(proto)
            return made

        def step(made: dict[str, Any]) -> RecordedStep:
            feeds = {name: array(value) for name, value in made["feeds"].items()}
            expected = tuple(None if v is None else array(v) for v in made["expected"])
            fetches = tuple(made["fetches"])
            return RecordedStep(fetches, feeds, expected, made["error"], made["session"])

        return [
            Recording(
                row["id"],
                archive.read(row["graph"]),
                tuple(map(step, row["steps"])),
                {name: tuple(pair) for name, pair in row["tolerances"].items()},
                row["cpus"],
            )
            for row in json.loads(archive.read("index.json"))
        ]
