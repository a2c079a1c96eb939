"""Plays recorded rows on this machine's GPU: python -m tests.gpu.replay FILE [PATTERN].

Prints what differs from TensorFlow's answers. Rows that read files need those of the machine that
recorded them; what a cast makes of numbers that its type has not depends on the processor.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

import dataflow as tf
from tests.gpu.recordings import RecordedStep, Recording, load


def faults(recording: Recording) -> Iterator[str]:
    """How the steps of a row differ from what is expected."""
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(tf.GraphDef.FromString(recording.graph), name="")
    config = tf.ConfigProto(device_count={"CPU": recording.cpus}, allow_soft_placement=True)
    sessions: dict[str, Any] = {}
    try:
        for number, step in enumerate(recording.steps):
            if step.session not in sessions:
                sessions[step.session] = tf.Session(graph=graph, config=config)
            for fault in _faults_of_step(recording, step, sessions[step.session]):
                yield f"step {number}: {fault}"
    finally:
        for session in sessions.values():
            session.close()


def _faults_of_step(recording: Recording, step: RecordedStep, session: Any) -> Iterator[str]:
    try:
        values = session.run(list(step.fetches), dict(step.feeds))
    except Exception as error:
        if type(error).__name__ != step.error:
            yield f"{error!r}, expected {step.error or 'values'}"
        return
    if step.error:
        yield f"no {step.error}"
        return
    for name, want, have in zip(step.fetches, step.expected, values, strict=True):
        if want is not None and not _is_close(recording, want, np.asarray(have)):
            yield f"{name}: {have}, expected {want}"


def _is_close(recording: Recording, want: np.ndarray, have: np.ndarray) -> bool:
    if want.shape != have.shape:
        return False
    if want.dtype.kind in "OSU":
        return bool(have.tolist() == want.tolist())
    if want.dtype != have.dtype:
        return False
    if want.dtype.kind in "biu":
        return np.array_equal(want, have)
    wide = np.complex128 if want.dtype.kind == "c" else np.float64
    rtol, atol = recording.tolerances[want.dtype.name]
    pair = have.astype(wide), want.astype(wide)
    return np.allclose(*pair, rtol=rtol, atol=atol, equal_nan=True)


def main(path: str, pattern: str = "") -> int:
    """Plays the rows whose names a pattern is found in; how many differ."""
    chosen = [each for each in load(path) if re.search(pattern, each.id)]
    differ = 0
    for recording in chosen:
        found = list(faults(recording))
        differ += bool(found)
        for fault in found:
            print(f"{recording.id} {fault}")
    print(f"{len(chosen) - differ} of {len(chosen)} rows give what TensorFlow gives")
    return min(differ, 1)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
