"""Device names: parsing, printing, merging and matching of (partial) device specifications."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

_CACHE_SIZE: Final = 4096
# Types that may be written without the leading `device:`.
_SHORT_FORM_TYPES: Final = frozenset({"CPU", "GPU", "TPU", "CUSTOM", "EPU"})


class DeviceParts(NamedTuple):
    """Fields of a device name; None where the name does not say."""

    job: str | None = None
    replica: int | None = None
    task: int | None = None
    device_type: str | None = None
    device_index: int | None = None

    def to_string(self) -> str:
        """Canonical name of the fields that are set."""
        name = ""
        if self.job is not None:
            name += f"/job:{self.job}"
        if self.replica is not None:
            name += f"/replica:{self.replica}"
        if self.task is not None:
            name += f"/task:{self.task}"
        if self.device_type is not None:
            index = "*" if self.device_index is None else self.device_index
            name += f"/device:{self.device_type}:{index}"
        return name

    def merged_with(self, inner: DeviceParts) -> DeviceParts:
        """These fields overridden by those `inner` sets."""
        return DeviceParts._make(
            mine if theirs is None else theirs for mine, theirs in zip(self, inner, strict=True)
        )

    def accepts(self, other: DeviceParts) -> bool:
        """Whether `other` has the same value in every field set here; a job `*` is not set."""
        return all(
            mine is None or mine == "*" or mine == theirs
            for mine, theirs in zip(self, other, strict=True)
        )


def _type_or_none(device_type: Any) -> str | None:
    """Device type as text; the two lower-case types of old programs become upper case."""
    if device_type is None:
        return None
    text = str(device_type)
    return text.upper() if text in ("cpu", "gpu") else text


def _int_or_none(value: Any) -> int | None:
    return None if value is None else int(value)


@lru_cache(maxsize=_CACHE_SIZE)
def parse(name: str | None) -> DeviceParts:
    """Fields of a full or partial device name such as `/job:ps/task:1/cpu:0` or `/device:GPU:*`.

    Raises:
        ValueError: The name is malformed.
    """
    job: str | None = None
    replica: int | None = None
    task: int | None = None
    device_type: str | None = None
    device_index: int | None = None
    for part in (name or "").split("/"):
        match part.split(":"):
            case ["job", job]:
                pass
            case ["replica", number]:
                replica = int(number)
            case ["task", number]:
                task = int(number)
            case ["device", kind, index]:
                _refuse_second_type(device_type, name)
                device_type = _type_or_none(kind)
                device_index = None if index == "*" else int(index)
            case [kind, *index_part] if kind.upper() in _SHORT_FORM_TYPES and len(index_part) < 2:
                _refuse_second_type(device_type, name)
                device_type = kind.upper()
                if index_part and index_part[0] != "*":
                    device_index = int(index_part[0])
            case ["", *_]:
                pass
            case [unknown, *_]:
                raise ValueError(f"Unknown attribute: '{unknown}' in '{name}'")
    return DeviceParts(job, replica, task, device_type, device_index)


def _refuse_second_type(device_type: str | None, name: str | None) -> None:
    if device_type is not None:
        raise ValueError(f"Cannot specify multiple device types: {name}")


class DeviceSpec:
    """A possibly partial description of a device, as a TF1 program builds and changes it.

    Args:
        job: Job name.
        replica: Replica number.
        task: Task number.
        device_type: `"CPU"`, `"GPU"`, ...
        device_index: Number of the device in its task.

    Raises:
        ValueError: A number is not one.
    """

    __slots__ = ("_parts", "_text")

    def __init__(
        self,
        job: Any = None,
        replica: Any = None,
        task: Any = None,
        device_type: Any = None,
        device_index: Any = None,
    ) -> None:
        self._set(
            DeviceParts(
                None if job is None else str(job),
                _int_or_none(replica),
                _int_or_none(task),
                _type_or_none(device_type),
                _int_or_none(device_index),
            )
        )

    def _set(self, parts: DeviceParts) -> None:
        self._parts = parts
        self._text = parts.to_string()

    @classmethod
    def from_string(cls, spec: str | None) -> DeviceSpec:
        """A new spec from a device name.

        Raises:
            ValueError: The name is malformed.
        """
        return cls(*parse(spec))

    def parse_from_string(self, spec: str | None) -> DeviceSpec:
        """Replace every field by those of a device name and return `self`.

        Raises:
            ValueError: The name is malformed.
        """
        self._set(parse(spec))
        return self

    def to_string(self) -> str:
        """Canonical name, e.g. `/job:worker/replica:0/task:1/device:GPU:0`."""
        return self._text

    def make_merged_spec(self, dev: DeviceSpec) -> DeviceSpec:
        """A new spec: this one's fields overridden by those `dev` sets."""
        return type(self)(*self._parts.merged_with(dev._parts))

    def merge_from(self, dev: DeviceSpec) -> None:
        """Override this spec's fields by those `dev` sets."""
        self._set(self._parts.merged_with(dev._parts))

    def replace(self, **kwargs: Any) -> DeviceSpec:
        """A new spec with the fields given by name replaced; None clears a field."""
        return type(self)(**{**self._parts._asdict(), **kwargs})

    @property
    def parts(self) -> DeviceParts:
        """The fields as an immutable tuple."""
        return self._parts

    @property
    def job(self) -> str | None:
        """Job name."""
        return self._parts.job

    @job.setter
    def job(self, job: Any) -> None:
        self._set(self._parts._replace(job=None if job is None else str(job)))

    @property
    def replica(self) -> int | None:
        """Replica number."""
        return self._parts.replica

    @replica.setter
    def replica(self, replica: Any) -> None:
        self._set(self._parts._replace(replica=_int_or_none(replica)))

    @property
    def task(self) -> int | None:
        """Task number."""
        return self._parts.task

    @task.setter
    def task(self, task: Any) -> None:
        self._set(self._parts._replace(task=_int_or_none(task)))

    @property
    def device_type(self) -> str | None:
        """Device type, e.g. `"CPU"`."""
        return self._parts.device_type

    @device_type.setter
    def device_type(self, device_type: Any) -> None:
        self._set(self._parts._replace(device_type=_type_or_none(device_type)))

    @property
    def device_index(self) -> int | None:
        """Number of the device in its task."""
        return self._parts.device_index

    @device_index.setter
    def device_index(self, device_index: Any) -> None:
        self._set(self._parts._replace(device_index=_int_or_none(device_index)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        fields = ", ".join(f"{field}={value}" for field, value in self._parts._asdict().items())
        return f"<DeviceSpec({fields})>"


def device_parts(device: DeviceSpec | str | None) -> DeviceParts:
    """Fields of a `DeviceSpec` or a device name; nothing set for None.

    Raises:
        ValueError: The name is malformed.
    """
    return device.parts if isinstance(device, DeviceSpec) else parse(device)


def canonical_name(device: DeviceSpec | str | None) -> str:
    """Canonical name of a `DeviceSpec` or a device name; empty for None.

    Raises:
        ValueError: The name is malformed.
    """
    if isinstance(device, DeviceSpec):
        return device.to_string()
    return _canonical(device)


@lru_cache(maxsize=_CACHE_SIZE)
def _canonical(name: str | None) -> str:
    return parse(name).to_string()


@lru_cache(maxsize=_CACHE_SIZE)
def merge_names(outer: str, inner: str) -> str:
    """Canonical name of `outer` with the fields that `inner` sets overridden by it.

    Raises:
        ValueError: A name is malformed.
    """
    return parse(outer).merged_with(parse(inner)).to_string()


@lru_cache(maxsize=_CACHE_SIZE)
def device_name_matches(spec: str, name: str) -> bool:
    """Whether the device `name` has every field that the partial name `spec` sets.

    Raises:
        ValueError: A name is malformed.
    """
    return parse(spec).accepts(parse(name))


def full_name(job: str, replica: int, task: int, device_type: str, index: int) -> str:
    """Name of one device of a cluster: `/job:worker/replica:0/task:1/device:CPU:0`."""
    return f"/job:{job}/replica:{replica}/task:{task}/device:{device_type}:{index}"
