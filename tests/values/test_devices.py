"""DeviceSpec and the device name rules against TensorFlow's."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import tensorflow.compat.v1 as tf
from hypothesis import given
from hypothesis import strategies as st
from tensorflow.python.framework import device as tf_device
from tensorflow.python.framework import device_spec as tf_device_spec

from dataflow.values import devices
from tests.words import as_in_tensorflow_1

NAMES = [
    "",
    None,
    "/job:worker/replica:0/task:1/device:GPU:3",
    "/job:ps",
    "/task:2",
    "/replica:1",
    "/cpu:0",
    "/CPU:0",
    "/gpu:1",
    "/GPU:*",
    "/gpu",
    "cpu:0",
    "/device:CPU:0",
    "/device:cpu:0",
    "/device:gpu:*",
    "/device:Gpu:2",
    "/device:XLA_CPU:0",
    "/tpu:0",
    "/Custom:1",
    "/job:a//task:1",
    "/job:ps/job:worker",
    "/task:1/task:2",
    "/job:*",
    "/job:",
    "//",
    ":",
    "/:x",
    "/device:GPU",
    "/device:GPU:x",
    "/cpu:x",
    "/cpu:0:0",
    "/cpu:0/gpu:0",
    "/cpu/device:GPU:0",
    "/device:GPU:0/cpu",
    "/replica:x",
    "/task:*",
    "/bogus",
    "/bogus:1",
    "/job:a:b",
    "garbage",
    "/device:CPU:0/",
    "/job:a/task:-1",
]
FIELDS = ("job", "replica", "task", "device_type", "device_index")


def outcome(function: Callable[..., Any], *args: Any) -> tuple[str, Any]:
    try:
        return "value", function(*args)
    except Exception as error:
        return type(error).__name__, as_in_tensorflow_1(str(error))


def fields(spec: Any) -> tuple[Any, ...]:
    return (*(getattr(spec, name) for name in FIELDS), spec.to_string(), repr(spec))


@pytest.mark.parametrize("name", NAMES)
def test_parsing(name: str | None) -> None:
    def parsed(cls: Any) -> Any:
        return fields(cls.from_string(name))

    def reparsed(cls: Any) -> Any:
        spec = cls(job="old", device_index=9)
        assert spec.parse_from_string(name) is spec
        return fields(spec)

    assert outcome(parsed, devices.DeviceSpec) == outcome(parsed, tf_device_spec.DeviceSpecV1)
    assert outcome(reparsed, devices.DeviceSpec) == outcome(reparsed, tf_device_spec.DeviceSpecV1)
    assert outcome(devices.canonical_name, name) == outcome(tf_device.canonical_name, name)


GOOD = [name for name in NAMES if outcome(devices.canonical_name, name)[0] == "value"]


def test_merging() -> None:
    for outer, inner in itertools.product(GOOD, GOOD):
        ours, theirs = devices.DeviceSpec.from_string(outer), tf.DeviceSpec.from_string(outer)
        our_inner = devices.DeviceSpec.from_string(inner)
        their_inner = tf.DeviceSpec.from_string(inner)
        expected = fields(theirs.make_merged_spec(their_inner))
        assert fields(ours.make_merged_spec(our_inner)) == expected
        assert devices.merge_names(outer, inner) == expected[-2]
        ours.merge_from(our_inner)
        theirs.merge_from(their_inner)
        assert fields(ours) == fields(theirs) == expected
        assert (ours == our_inner) == (theirs == their_inner)


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("value", [None, "gpu", "CPU", 3, "3", "x", 2.0])
def test_constructor_setter_and_replace(field: str, value: Any) -> None:
    def built(cls: Any) -> Any:
        return fields(cls(**{field: value}))

    def assigned(cls: Any) -> Any:
        spec = cls(job="a", replica=1, task=2, device_type="CPU", device_index=3)
        setattr(spec, field, value)
        return fields(spec)

    def replaced(cls: Any) -> Any:
        spec = cls(job="a", replica=1, task=2, device_type="CPU", device_index=3)
        return fields(spec.replace(**{field: value}))

    for make in (built, assigned, replaced):
        assert outcome(make, devices.DeviceSpec) == outcome(make, tf_device_spec.DeviceSpecV1)


def test_equality_and_hash() -> None:
    a, b = devices.DeviceSpec.from_string("/cpu:0"), devices.DeviceSpec(device_type="CPU")
    assert a != b
    b.device_index = 0
    assert a == b
    assert hash(a) == hash(b)
    assert a != "/device:CPU:0"
    assert pickle.loads(pickle.dumps(a)) == a  # noqa: S301


def test_canonical_name_of_a_spec() -> None:
    assert devices.canonical_name(devices.DeviceSpec(job="a", task=1)) == "/job:a/task:1"
    assert devices.device_parts(devices.DeviceSpec(task=1)).task == 1
    assert devices.device_parts("/cpu:1").device_index == 1
    assert devices.device_parts(None) == devices.DeviceParts()


@pytest.mark.parametrize(
    ("spec", "matches"),
    [
        ("", True),
        ("/cpu:0", True),
        ("/device:CPU:*", True),
        ("/cpu:1", False),
        ("/gpu:0", False),
        ("/job:worker", True),
        ("/job:*/cpu:0", True),
        ("/job:ps", False),
        ("/task:1", True),
        ("/task:0", False),
        ("/job:worker/replica:0/task:1/device:CPU:0", True),
    ],
)
def test_matching(spec: str, matches: bool) -> None:
    name = devices.full_name("worker", 0, 1, "CPU", 0)
    assert name == "/job:worker/replica:0/task:1/device:CPU:0"
    assert devices.device_name_matches(spec, name) is matches


@given(
    st.builds(
        devices.DeviceParts,
        st.none() | st.from_regex(r"[a-z][a-z0-9_]*", fullmatch=True),
        st.none() | st.integers(0, 9),
        st.none() | st.integers(0, 9),
        st.sampled_from(["CPU", "GPU"]),
        st.none() | st.integers(0, 9),
    )
)
def test_printing_and_parsing_are_inverse(parts: devices.DeviceParts) -> None:
    assert devices.parse(parts.to_string()) == parts
    without_type = parts._replace(device_type=None, device_index=None)
    assert devices.parse(without_type.to_string()) == without_type
