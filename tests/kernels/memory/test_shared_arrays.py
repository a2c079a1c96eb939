"""Arrays in memory that other processes can be shown: who owns it, and when it is used again."""

from __future__ import annotations

import gc
import mmap
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.kernels.contract.resources import Variable
from dataflow.kernels.memory import aligned, shared_arrays
from dataflow.kernels.memory.numpy_memory import Memory
from dataflow.kernels.memory.shared_arrays import LEAST, Region
from dataflow.kernels.products import products
from tests.actors.transfers.descriptors import open_descriptors
from tests.kernels.memory.fresh_regions import fresh_regions

FLOAT32 = np.dtype(np.float32)
SHAPE = (300, 400)
assert LEAST <= 4 * 300 * 400


@pytest.fixture(autouse=True)
def nothing_before() -> Iterator[None]:
    """Each test finds no region, and leaves no descriptor."""
    with fresh_regions():
        yield


def bytes_of(array: np.ndarray) -> memoryview:
    """What a message has of an array."""
    return array.reshape(-1).view(np.uint8).data


def made(shape: tuple[int, ...] = SHAPE, value: float = 0.0) -> Any:
    array = shared_arrays.empty(shape, FLOAT32)
    array[...] = value
    return array


def region_of(array: Any) -> Region:
    found = shared_arrays.region_of(bytes_of(array))
    assert found is not None
    return found


def test_an_array_owns_its_memory() -> None:
    array = made(value=2.5)
    assert array.base is None and array.flags.owndata and array.flags.writeable
    assert array.shape == SHAPE and array.dtype == FLOAT32
    assert np._core.multiarray.get_handler_name(array) == "shared"
    assert (array == 2.5).all()


def test_the_memory_is_that_behind_the_descriptor() -> None:
    array = made()
    array[1, 2] = 7.0
    region = region_of(array)
    seen = np.frombuffer(os.pread(region.descriptor, array.nbytes, 0), np.float32)
    np.testing.assert_array_equal(seen.reshape(SHAPE), array)


def test_who_is_shown_it_cannot_write_to_it() -> None:
    array = made(value=1.0)
    region = region_of(array)
    with mmap.mmap(region.descriptor, region.size, mmap.MAP_SHARED, mmap.PROT_READ) as seen:
        array[0, 0] = 5.0
        assert np.frombuffer(seen[:4], np.float32)[0] == 5.0
    with pytest.raises(PermissionError):
        mmap.mmap(region.descriptor, region.size, mmap.MAP_SHARED, mmap.PROT_WRITE)
    for change in (lambda f: os.pwrite(f, b"x", 0), lambda f: os.ftruncate(f, 0)):
        with pytest.raises(PermissionError):
            change(region.descriptor)


def test_memory_is_used_again_after_the_last_that_reads_it() -> None:
    first = made(value=1.0)
    address = first.ctypes.data
    row = first[5]
    lent = bytes_of(first)
    del first
    assert made().ctypes.data != address
    del row
    assert made().ctypes.data != address
    assert np.frombuffer(lent, np.float32)[0] == 1.0
    del lent
    assert address in [array.ctypes.data for array in (made(), made())]


def test_only_what_is_as_large_uses_it_again() -> None:
    """A peer that is shown it for the first time does not take much more than it holds."""
    address = made((1000, 1000)).ctypes.data
    assert made((500, 500)).ctypes.data != address
    assert made((1000, 999)).ctypes.data == address


def test_what_is_no_whole_array_is_in_no_region() -> None:
    array = made()
    assert shared_arrays.region_of(bytes_of(array)) is not None
    assert shared_arrays.region_of(bytes_of(array[:250])) is None
    assert shared_arrays.region_of(bytes_of(array[30:])) is None
    assert shared_arrays.region_of(bytes_of(np.zeros(SHAPE, np.float32))) is None


class Peers:
    """Takes note of regions that are no more."""

    def __init__(self) -> None:
        self.gone: list[Region] = []

    def region_gone(self, region: Region) -> None:
        self.gone.append(region)


def test_idle_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_arrays, "_IDLE_BYTES", 2_000_000)
    opened = open_descriptors()
    arrays = [made((1000, 200)) for _ in range(5)]
    regions = [region_of(array) for array in arrays]
    peers = Peers()
    for region in regions:
        region.lend(peers)
    arrays.clear()
    assert len(peers.gone) == 3
    assert len(open_descriptors() - opened) == mapped() == 2
    # What made arrays lie there makes them lie elsewhere.
    again = [made((1000, 200), i) for i in range(5)]
    assert [array[9, 9] for array in again] == [0, 1, 2, 3, 4]


def mapped() -> int:
    """Regions that this process has in its memory."""
    return Path("/proc/self/maps").read_text().count("memfd:dataflow")


def test_what_makes_arrays_lie_there_is_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """numpy is told of it for ever."""
    monkeypatch.setattr(shared_arrays, "_IDLE_BYTES", 0)

    def sources() -> int:
        return sum(type(found) is Memory for found in gc.get_objects())

    made()
    before = sources()
    for _ in range(5):
        made()
    assert sources() == before


def test_there_are_not_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_arrays, "_MOST", 3)
    held = [made() for _ in range(3)]
    assert shared_arrays.empty(SHAPE, FLOAT32) is None
    elsewhere = np.zeros(SHAPE, np.float32)
    shared_arrays.note_sent(bytes_of(elsewhere))
    assert not shared_arrays.is_to_move(elsewhere)
    copied = aligned.copy(held[0])
    assert shared_arrays.region_of(bytes_of(copied)) is None


def test_where_there_is_no_such_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(size: int) -> int:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr("dataflow.kernels.memory.shared_memory.create", refuse)
    assert shared_arrays.empty(SHAPE, FLOAT32) is None
    run = shared_arrays.wanting(lambda: aligned.empty(SHAPE, FLOAT32))
    assert run().shape == SHAPE


def test_what_a_function_makes_lies_there_if_it_is_large() -> None:
    a, b = np.ones((300, 50), np.float32), np.ones((50, 400), np.float32)
    found = shared_arrays.wanting(products.product)(a, b)
    assert (found == 50).all()
    assert region_of(found)
    small = shared_arrays.wanting(products.product)(a[:3], b)
    assert shared_arrays.region_of(bytes_of(small)) is None
    assert shared_arrays.region_of(bytes_of(products.product(a, b))) is None


def test_the_wish_ends_with_the_call() -> None:
    def fail() -> None:
        assert shared_arrays.are_wanted()
        raise ValueError("on purpose")

    with pytest.raises(ValueError, match="on purpose"):
        shared_arrays.wanting(fail)()
    assert not shared_arrays.are_wanted()


def sent_variable() -> Variable:
    """A variable whose value was copied to be sent."""
    variable = Variable("v", tf.float32)
    variable.value = np.ones(SHAPE, np.float32)
    shared_arrays.note_sent(bytes_of(variable.value))
    return variable


def test_a_part_that_was_sent_moves_nothing() -> None:
    array = np.zeros(SHAPE, np.float32)
    shared_arrays.note_sent(bytes_of(array[:250]))
    assert not shared_arrays.is_to_move(array)
    shared_arrays.note_sent(bytes_of(array))
    assert shared_arrays.is_to_move(array)


def add_one(value: Any, owned: bool) -> Any:
    target = value if owned else aligned.copy(value)
    target += 1
    return target


def test_a_variable_that_was_sent_moves_at_its_next_update() -> None:
    variable = sent_variable()
    variable.update(add_one)
    address = variable.value.ctypes.data
    assert region_of(variable.value)
    variable.update(add_one)
    assert variable.value.ctypes.data == address
    assert (variable.value == 3).all()


def test_what_is_lent_is_not_written_to() -> None:
    variable = sent_variable()
    variable.update(add_one)
    lent = bytes_of(variable.value)
    address = variable.value.ctypes.data
    variable.update(add_one)
    assert (np.frombuffer(lent, np.float32) == 2).all()
    assert (variable.value == 3).all()
    assert region_of(variable.value)
    del lent
    # Its memory is that of the next copy.
    keeps = bytes_of(variable.value)
    variable.update(add_one)
    assert variable.value.ctypes.data == address
    assert (np.frombuffer(keeps, np.float32) == 3).all()


UPDATES: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda v, x: tf.assign_add(v, x),
    "subtract": lambda v, x: tf.assign_sub(v, x),
    "rows": lambda v, x: tf.scatter_add(v, [1, 3, 1], x[:3]),
    "vectors": lambda v, x: tf.scatter_nd_update(v, [[1, 3], [5, 7]], x[0, :2]),
    "descent": lambda v, x: tf.train.GradientDescentOptimizer(0.1).apply_gradients([(x, v)]),
    "Adam": lambda v, x: tf.train.AdamOptimizer(0.1).apply_gradients([(x, v)]),
}


@pytest.mark.parametrize("use_resource", [False, True])
@pytest.mark.parametrize("name", UPDATES)
def test_updates_leave_it_there(name: str, use_resource: bool) -> None:
    """They are those of a variable that was never sent, whether or not somebody reads the value."""
    step = np.random.default_rng(3).normal(size=SHAPE).astype(np.float32)

    def run(is_sent: bool) -> tuple[list[Any], list[bool]]:
        with tf.Graph().as_default(), tf.Session() as session:
            v = tf.get_variable(
                "v", initializer=np.ones(SHAPE, np.float32), use_resource=use_resource
            )
            update = UPDATES[name](v, tf.convert_to_tensor(step))
            session.run(tf.global_variables_initializer())
            (cell,) = [
                found
                for found in gc.get_objects()
                if isinstance(found, Variable) and found.name == "v" and found.value is not None
            ]
            values, lies_there = [], []
            lent: Any = None
            for turn in range(4):
                if is_sent and not turn:
                    shared_arrays.note_sent(bytes_of(cell.value))
                if is_sent and turn == 2:
                    lent = bytes_of(cell.value)
                session.run(update)
                values.append(cell.value.copy())
                lies_there.append(shared_arrays.region_of(bytes_of(cell.value)) is not None)
            if is_sent:
                np.testing.assert_array_equal(
                    np.frombuffer(lent, np.float32).reshape(SHAPE), values[1]
                )
            cell.value = lent = None
            return values, lies_there

    expected, nowhere = run(False)
    found, lies_there = run(True)
    np.testing.assert_array_equal(found, expected)
    assert lies_there == [True] * 4 and nowhere == [False] * 4


def test_many_threads() -> None:
    """Arrays that live at the same time share no memory, whoever ends them."""
    wrong: list[Any] = []

    def work(seed: int) -> None:
        chosen = random.Random(seed)
        held: list[tuple[Any, int]] = []
        for turn in range(300):
            array = shared_arrays.empty((chosen.choice((70_000, 90_000)),), FLOAT32)
            number = seed * 1000 + turn
            if array is None:
                continue
            array[:] = number
            held.append((array, number))
            if len(held) > 4:
                array, number = held.pop(chosen.randrange(5))
                if not (array == number).all():
                    wrong.append(number)
            if turn % 50 == 0:
                gc.collect()
        held.clear()

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert 0 < len(shared_arrays._regions) < 100


def test_arrays_may_outlive_the_interpreter() -> None:
    code = (
        "import numpy as np, sys\n"
        "from dataflow.kernels.memory import shared_arrays\n"
        "sys.kept = [shared_arrays.empty((300, 400), np.dtype(np.float32)) for _ in range(3)]\n"
        "class Late:\n"
        "    def __init__(self, array): self.array = array; self.me = self\n"
        "    def __del__(self): self.array[:] = 1\n"
        "sys.late = Late(sys.kept[0])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
