"""Merging of device names as placement does it: fields must agree, or are softened."""

from __future__ import annotations

from dataflow.values.devices import DeviceParts

_NAMES = {"job": "jobs", "replica": "replicas", "task": "tasks"}


class IncompatibleDevices(Exception):
    """Two device names that contradict each other; the text says in which field."""


def merge(first: DeviceParts, second: DeviceParts, soft: bool) -> DeviceParts:
    """The fields of both names.

    Args:
      first: A partial device name.
      second: Another one.
      soft: Where types or indices contradict each other, leave them open instead of failing.

    Raises:
      IncompatibleDevices: The names contradict each other.
    """
    for field, plural in _NAMES.items():
        mine, theirs = getattr(first, field), getattr(second, field)
        if mine is not None and theirs is not None and mine != theirs:
            raise _incompatible(plural, first, second)
    merged = second.merged_with(first)
    if _contradict(first.device_type, second.device_type):
        if not soft:
            raise _incompatible("types", first, second)
        return merged._replace(device_type=None, device_index=None)
    if _contradict(first.device_index, second.device_index):
        if not soft:
            raise _incompatible("ids", first, second)
        return merged._replace(device_index=None)
    return merged


def compatible(first: DeviceParts, second: DeviceParts) -> bool:
    """True if no field is set in both to different values."""
    return not any(map(_contradict, first, second))


def _contradict(mine: object, theirs: object) -> bool:
    return mine is not None and theirs is not None and mine != theirs


def _incompatible(what: str, first: DeviceParts, second: DeviceParts) -> IncompatibleDevices:
    return IncompatibleDevices(
        f"Cannot merge devices with incompatible {what}: '{first.to_string()}' and "
        f"'{second.to_string()}'"
    )
