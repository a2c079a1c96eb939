"""Messages as bytes: what goes in comes out, damaged bytes never do harm."""

from __future__ import annotations

import dataclasses
import struct
import tracemalloc
from typing import Any

import ml_dtypes
import msgpack
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dataflow.actors.wire.codec import decode, decode_frames, encode, encode_frames
from dataflow.actors.wire.counts import check_counts
from dataflow.actors.wire.messages import (
    AbortStep,
    CreateSession,
    DevicePart,
    ExtendSession,
    GraphRegistered,
    NodeTiming,
    RenewTasks,
    ResetContainers,
    RunStep,
    SendTensor,
    SendTensors,
    SessionCreated,
    StepDone,
    StepFailed,
    StepPlan,
    TensorValue,
)
from dataflow.actors.wire.records import MAX_DEPTH, RECORDS
from dataflow.actors.wire.records import MESSAGES as MESSAGE_TYPES
from dataflow.errors import DataLossError, ErrorReport, InvalidArgumentError
from dataflow.kernels.contract.resources import Variable
from dataflow.kernels.lists.optional import Optional
from dataflow.values import dtypes
from dataflow.values.device_info import DeviceInfo

NUMPY_DTYPES = [
    np.dtype(dtype.as_numpy_dtype)
    for dtype in dtypes._INTERNED.values()
    if dtype.is_numpy_compatible and not dtype._is_ref_dtype and dtype is not dtypes.string
]

MESSAGES = [
    AbortStep(3, ErrorReport(5, "late", "n", "Op", "/device:CPU:0", "float32[2]", "a.py:3")),
    ErrorReport(3, "é"),
    ExtendSession(2, b"\x00bytes"),
    GraphRegistered(7, (DevicePart("d", 1, (0, 2), ()), DevicePart("e", 2, (), (1,)))),
    SessionCreated(1, (DeviceInfo("d", "CPU", 70, 2**62, 5),)),
    StepDone(
        4, (np.float32(1.5), np.array([b"a", b"\xff"], object)), (NodeTiming("n", "O", 1, 2.5),)
    ),
    StepFailed(4, ErrorReport(1, "m")),
    StepPlan(1, 2, (DevicePart("d", 1, (), (0,)),), ((0, 1), ())),
    RunStep(1, 2**62, (None, np.array(b"x", object), b"raw", np.float64(2), np.ones((2, 0)))),
    SendTensors((SendTensor(1, "k", np.float32(2)),), (SendTensor(1, "l", None, True),)),
    CreateSession(b"config", 2.5, "client"),
    ResetContainers(("a", "")),
]


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, (np.ndarray, np.generic)):
        return (
            type(a) is type(b)
            and a.dtype == b.dtype
            and a.shape == b.shape
            and (a.tolist() == b.tolist() if a.dtype == object else a.tobytes() == b.tobytes())
        )
    if isinstance(a, tuple):
        return type(b) is tuple and len(a) == len(b) and all(map(_same, a, b))
    if dataclasses.is_dataclass(a):
        return type(a) is type(b) and all(
            _same(getattr(a, f.name), getattr(b, f.name)) for f in dataclasses.fields(a)
        )
    return bool(a == b)


@pytest.mark.parametrize("message", MESSAGES, ids=lambda m: type(m).__name__)
def test_messages_come_back(message: Any) -> None:
    assert _same(decode(encode(message)), message)
    assert _same(decode_frames(encode_frames(message)), message)


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (0, 2), (70, 90), (1, 1, 2)])
def test_arrays_of_every_type_come_back(dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
    bits = np.random.default_rng(0).integers(0, 2, (*shape, dtype.itemsize), np.uint8)
    array = np.ascontiguousarray(bits).view(np.uint8).reshape(-1).view(dtype).reshape(shape)
    value = decode(encode(SendTensor(1, "k", array, True))).value  # type: ignore[union-attr]
    assert _same(value, array)
    assert not value.flags.writeable


@given(
    hnp.arrays(
        hnp.array_dtypes(hnp.integer_dtypes() | hnp.floating_dtypes())
        | st.sampled_from(["<f4", ">f4", ">i8", "?", "c8"]),
        hnp.array_shapes(min_dims=0),
    )
)
@settings(max_examples=30)
def test_byte_orders_and_layouts(array: np.ndarray[Any, Any]) -> None:
    try:
        dtypes.as_dtype(array.dtype)
    except TypeError:
        with pytest.raises(InvalidArgumentError):
            encode(SendTensor(1, "k", array))
        return
    for variant in (array, array.T, array[::-1] if array.ndim else array):
        value = decode(encode(SendTensor(1, "k", variant))).value  # type: ignore[union-attr]
        np.testing.assert_array_equal(value, variant)


def test_large_arrays_are_not_copied_and_are_aligned() -> None:
    array = np.arange(10_000, dtype=np.float64)
    _, buffer = encode_frames(SendTensor(1, "k", array))
    assert np.shares_memory(np.frombuffer(buffer, np.float64), array)
    data = np.frombuffer(encode(SendTensor(1, "key", array)), np.uint8)
    value = decode(data.data).value  # type: ignore[union-attr]
    assert np.shares_memory(value, data)
    assert (value.ctypes.data - data.ctypes.data) % 64 == 0


@pytest.mark.parametrize(
    "value",
    [
        object(),
        Variable("v", dtypes.float32),
        np.array([b"a", "text"], object),
        np.array(["2020-01-01"], "datetime64[D]"),
        2**70,
        lambda: None,
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_cannot_cross_is_refused(value: Any) -> None:
    with pytest.raises(InvalidArgumentError):
        encode(SendTensor(1, "k", value))


SAMPLE = encode(
    RunStep(
        1,
        2,
        (
            np.arange(6, dtype=np.float32).reshape(2, 3),
            np.array([b"a", b"bc"], object),
            np.zeros(5000, ml_dtypes.bfloat16),
            np.int64(5),
        ),
        3,
        True,
    )
)


@given(st.data())
@settings(max_examples=300)
def test_damaged_bytes_are_data_loss_or_another_message(data: st.DataObject) -> None:
    damaged = bytearray(SAMPLE)
    for _ in range(data.draw(st.integers(1, 4))):
        # The zeros of the large array would take most hits.
        place = data.draw(st.integers(0, 300))
        damaged[place] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, 2))
    if cut:
        damaged = damaged[: data.draw(st.integers(0, len(damaged)))]
    try:
        message = decode(bytes(damaged))
    except DataLossError as error:
        assert error.message.startswith("Malformed message")
    else:
        assert type(message) in MESSAGE_TYPES


@given(st.binary(max_size=200))
def test_random_bytes_are_data_loss(data: bytes) -> None:
    with pytest.raises(DataLossError, match="Malformed message"):
        decode(data)
    with pytest.raises(DataLossError, match="Malformed message"):
        decode_frames([data])


def message(value: Any) -> bytes:
    """A message whose only field, of any type, is a value."""
    packed: bytes = msgpack.packb((RECORDS.index(TensorValue), value))
    return packed


def extension(code: int, value: Any) -> bytes:
    """A message with an extension that holds other values."""
    return message(msgpack.ExtType(code, msgpack.packb(value)))


def array(
    kind: int, rank: int, frame: int, *dimensions: int, body: bytes = b"", in_line: bool = False
) -> bytes:
    """A message with an array that may be malformed; in line, or as an extension."""
    head = struct.pack("<BB6xQ", kind, rank, frame) + struct.pack(
        f"<{len(dimensions)}q", *dimensions
    )
    return message(head + body if in_line else msgpack.ExtType(1, head + body))


@pytest.mark.parametrize(
    "frames",
    [
        [],
        [msgpack.packb(3)],
        [msgpack.packb(())],
        [msgpack.packb((999,))],
        [msgpack.packb(("RunStep",))],
        [msgpack.packb((0, 3))],
        [extension(4, (999,))],
        [extension(4, (0, 3))],
        [extension(4, 3)],
        [message(msgpack.ExtType(9, b""))],
        [b"\x91" * 100_000],
        [b"\xa4\xff\xfe\xff\xfe"],
        [b"\xdf\xff\xff\xff\xff"],
        [b"\xdd\xff\xff\xff\xff"],
        [msgpack.packb(msgpack.Timestamp(1 << 40))],
        [extension(3, ((0, 1 << 63), ()))],
        [message(msgpack.ExtType(1, b"\x01\x00"))],
        [array(1, 2, 0, 1)],
        [array(1, 1, 0, -1)],
        [array(1, 2, 0, 0, -1)],
        [array(1, 2, 0, 1 << 62, 1 << 62)],
        [array(1, 65, 0, *[1] * 65, body=bytes(4))],
        [array(7, 1, 0, 1, body=b"x")],
        [array(200, 1, 0, 1, body=b"x")],
        [array(1, 1, 0, 2, body=bytes(4))],
        [array(1, 1, 1, 1)],
        [array(1, 1, 2, 1), bytes(4)],
        [array(1, 1, 1, 1, body=bytes(4)), bytes(4)],
        [array(1, 1, 1, 1), bytes(8)],
        [message(msgpack.ExtType(2, struct.pack("<BB6xQq4x", 1, 1, 0, 1)))],
        [extension(6, (1, ((1,),), 5, ()))],
        [message(())],
        [message((3,))],
        [message((b"a", b"b"))],
        [message(b"")],
        [message(b"\x01")],
        [array(1, 0, 0, in_line=True)],
        [array(1, 0, 1, in_line=True), bytes(4)],
        [array(7, 0, 0, body=b"x", in_line=True)],
        [array(1, 2, 0, 1, in_line=True)],
        [array(1, 1, 0, -1, in_line=True)],
        [array(1, 1, 0, 2, body=bytes(4), in_line=True)],
        [array(1, 1, 1, 1, in_line=True), bytes(8)],
    ],
)
def test_malformed_frames(frames: list[bytes]) -> None:
    with pytest.raises(DataLossError, match="Malformed message"):
        decode_frames(frames)


def test_moments_are_numbers() -> None:
    """Msgpack would make objects of its own of them."""
    value = decode_frames([message(msgpack.Timestamp(3))]).value  # type: ignore[union-attr]
    assert type(value) is float
    assert value == 3.0


def test_fields_of_a_wrong_type_are_refused() -> None:
    good = AbortStep(3, ErrorReport(5, "m"))
    bad = dataclasses.replace(good, step="three")  # type: ignore[arg-type]
    with pytest.raises(DataLossError, match=r"AbortStep\.step is str"):
        decode(encode(bad))
    for timeout in (None, "", (), b"1"):
        late = CreateSession(b"", timeout)  # type: ignore[arg-type]
        with pytest.raises(DataLossError, match=r"CreateSession\.timeout is"):
            decode(encode(late))
    assert decode(encode(CreateSession(b"", 3))) == CreateSession(b"", 3)
    tasks = RenewTasks(1, ("a", 2))  # type: ignore[arg-type]
    with pytest.raises(DataLossError, match=r"RenewTasks\.tasks is tuple"):
        decode(encode(tasks))


def test_values_inside_of_each_other_without_end_are_refused() -> None:
    """A thread's stack would not be large enough to read them."""
    inner = msgpack.packb((5, 0))
    for _ in range(3000):
        inner = msgpack.packb((5, msgpack.ExtType(4, inner)))
    data = message(msgpack.ExtType(4, inner))
    with pytest.raises(DataLossError, match="inside of each other"):
        decode_frames([data])
    value = np.empty(1, object)
    value[0] = Optional((np.float32(1),), (dtypes.float32,))
    for _ in range(MAX_DEPTH):
        value[0] = Optional((value.copy(),), (dtypes.variant,))
    with pytest.raises(InvalidArgumentError, match="inside of each other"):
        encode(SendTensor(1, "k", value))


STRUCTURES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.binary(max_size=40)
    | st.text(max_size=40)
    | st.builds(msgpack.ExtType, st.integers(0, 127), st.binary(max_size=40)),
    lambda inner: st.lists(inner, max_size=40) | st.dictionaries(st.integers(0, 99), inner),
)


@given(STRUCTURES, st.integers(1, 3))
def test_counts_that_are_true_are_taken(value: Any, times: int) -> None:
    data = msgpack.packb([value, [[0] * 20] * 70, [b"x" * 300, "y" * 70_000, [1] * 70_000][:times]])
    check_counts(data)
    check_counts(memoryview(data))


@pytest.mark.parametrize("levels", [1, 100, 900])
def test_counts_are_not_believed(levels: int) -> None:
    """Each level claims as many elements as there are bytes: memory for them is not taken up."""
    size = 1 << 20
    data = (b"\xdd" + size.to_bytes(4, "big")) * levels + bytes(size)
    tracemalloc.start()
    try:
        with pytest.raises(DataLossError, match="Malformed message"):
            decode_frames([data[: size + 5]])
        assert tracemalloc.get_traced_memory()[1] < 24 * size
    finally:
        tracemalloc.stop()
