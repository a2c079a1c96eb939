"""Summaries that were written, and whether they are those that are expected."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dataflow.proto.event_pb2 import Event
from dataflow.proto.summary_pb2 import Summary
from dataflow.records.events import summary_iterator


def assert_summary(
    expected_tags: Iterable[str], expected_simple_values: Mapping[str, float], summary_proto: Any
) -> None:
    """Compares a Summary's tags, and some of its numbers to two decimals.

    Raises:
      AssertionError: A number is another.
      ValueError: There are other tags.
    """
    for value in summary_proto.value:
        if value.tag in expected_simple_values:
            np.testing.assert_almost_equal(
                value.simple_value,
                expected_simple_values[value.tag],
                decimal=2,
                err_msg=value.tag,
            )
    expected, found = set(expected_tags), {value.tag for value in summary_proto.value}
    if expected != found:
        raise ValueError(f"Expected tags {expected}, got {found}.")


def to_summary_proto(summary_str: bytes) -> Summary:
    """The Summary that bytes hold."""
    return Summary.FromString(summary_str)


def latest_event_file(base_dir: Any) -> str | None:
    """The last event file of a folder by name, or None."""
    found = sorted(str(path) for path in Path(base_dir).glob("events.*"))
    return found[-1] if found else None


def latest_events(base_dir: Any) -> Iterable[Event]:
    """The events of that file."""
    path = latest_event_file(base_dir)
    return summary_iterator(path) if path else []


def latest_summaries(base_dir: Any) -> list[Event]:
    """Those of them that hold summaries."""
    return [event for event in latest_events(base_dir) if event.HasField("summary")]


def simple_values_from_events(events: Iterable[Event], tags: Collection[str]) -> dict[str, float]:
    """The numbers of the last step by tag.

    Raises:
      ValueError: The summary of a tag is no number.
    """
    found: dict[str, tuple[int, float]] = {}
    for event in events:
        for value in event.summary.value:
            if value.tag not in tags:
                continue
            if not value.HasField("simple_value"):
                raise ValueError(f"Summary for {value.tag} is not a simple_value.")
            if value.tag not in found or event.step > found[value.tag][0]:
                found[value.tag] = event.step, value.simple_value
    return {tag: value for tag, (_, value) in found.items()}
