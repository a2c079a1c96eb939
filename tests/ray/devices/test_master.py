"""What masters decide by themselves: the numbers of sessions, and which tasks a session sees."""

from __future__ import annotations

from itertools import islice

import pytest

from dataflow import errors
from dataflow.actors.ray.actors.master import _session_numbers
from dataflow.actors.ray.actors.requests import is_visible
from dataflow.actors.step.numbers import STEP_BITS

HOME = "/job:worker/replica:0/task:0"
DEVICE = "/job:worker/replica:0/task:1/device:CPU:0"


def test_masters_of_a_cluster_never_give_the_same_number() -> None:
    given = [set(islice(_session_numbers(place, 3), 10_000)) for place in range(3)]
    assert all(len(numbers) == 10_000 for numbers in given)
    assert not given[0] & given[1] and not given[0] & given[2] and not given[1] & given[2]
    # A step id has room for them, as a signed 64-bit number.
    assert max(map(max, given)) < 1 << 63 - STEP_BITS


def test_a_master_that_is_started_again_goes_on_elsewhere() -> None:
    first, second = (set(islice(_session_numbers(1, 3), 100)) for _ in range(2))
    assert len(first | second) > 100


@pytest.mark.parametrize(
    ("filters", "passes"),
    [
        ([], True),
        (["/job:worker"], True),
        (["/job:ps", "/job:worker/task:1"], True),
        (["/job:worker/task:0"], False),
        (["/job:ps"], False),
        (["/device:CPU:*"], True),
        (["/gpu:0"], False),
    ],
)
def test_device_filters(filters: list[str], passes: bool) -> None:
    assert is_visible(DEVICE, HOME, filters) is passes


def test_a_task_passes_if_some_device_of_it_may() -> None:
    assert is_visible("/job:worker/replica:0/task:1", HOME, ["/job:worker/task:1/gpu:0"])


def test_devices_of_the_masters_own_task_are_always_seen() -> None:
    assert is_visible(f"{HOME}/device:CPU:0", HOME, ["/job:ps"])
    assert not is_visible(f"{HOME}1/device:CPU:0", HOME, ["/job:ps"])


def test_a_malformed_filter_is_named() -> None:
    with pytest.raises(errors.InvalidArgumentError, match="Malformed device filter"):
        is_visible(DEVICE, HOME, ["/job:worker/task:x"])
