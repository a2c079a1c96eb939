"""Results of an evaluation, written to its event file, and read from there."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from dataflow.proto.summary_pb2 import Summary
from dataflow.proto.tensor_pb2 import TensorProto
from dataflow.proto.types_pb2 import DT_STRING
from dataflow.recording.writer_cache import FileWriterCache
from dataflow.records.events import summary_iterator
from dataflow.values import logging


def write_results(folder: str, results: Mapping[str, Any], global_step: Any) -> None:
    """Logs the results at a step and writes them as summaries; of arrays their elements."""
    shown = ", ".join(
        f"{name} = {value!s}"
        for name, value in sorted(results.items())
        if not isinstance(value, bytes)
    )
    logging.info("Saving dict for global step %d: %s", global_step, shown)
    summary = Summary()
    for name, value in results.items():
        if value is None or name == "global_step":
            continue
        if isinstance(value, (np.float32, float)):
            summary.value.add(tag=name, simple_value=float(value))
        elif isinstance(value, (np.int64, np.int32, int)):
            summary.value.add(tag=name, simple_value=int(value))
        elif isinstance(value, bytes):
            _add_serialized(summary, name, value)
        elif isinstance(value, np.ndarray):
            for index, element in enumerate(value.ravel()):
                if np.isreal(element):
                    summary.value.add(tag=f"{name}/{index}", simple_value=float(element))
        else:
            logging.warning("Skipping summary for %s, must be a float or np.float32.", name)
    writer = FileWriterCache.get(folder)
    writer.add_summary(summary, global_step)
    writer.flush()


def _add_serialized(summary: Summary, name: str, value: bytes) -> None:
    """The values of a summary that a metric gave."""
    try:
        parsed = Summary.FromString(value)
    except Exception:
        logging.warning("Skipping summary for %s, cannot parse string to Summary.", name)
        return
    for index, each in enumerate(parsed.value):
        added = summary.value.add()
        added.CopyFrom(each)
        added.tag = f"{name}/{index}"


def write_checkpoint_path(folder: str, path: str, global_step: Any) -> None:
    """Says in the event file of which checkpoint results are."""
    logging.info("Saving 'checkpoint_path' summary for global step %d: %s", global_step, path)
    summary = Summary()
    summary.value.add(
        tag="checkpoint_path",
        tensor=TensorProto(dtype=DT_STRING, string_val=[path.encode()]),
    )
    writer = FileWriterCache.get(folder)
    writer.add_summary(summary, global_step)
    writer.flush()


def read_results(folder: str) -> dict[int, dict[str, float]]:
    """By global step the numbers that evaluations have written into a folder, in order."""
    found: dict[int, dict[str, float]] = {}
    for path in sorted(glob.glob(os.path.join(glob.escape(folder), "*events*"))):
        for event in summary_iterator(path):
            values = {
                value.tag: value.simple_value
                for value in event.summary.value
                if value.HasField("simple_value")
            }
            if values:
                found.setdefault(event.step, {}).update(values)
    return dict(sorted(found.items()))
