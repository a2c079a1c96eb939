"""Rows for tensors that a session keeps; `tests/session/test_handles.py` follows their handles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.program import Inputs, Program, Step, fails, infers, run


def _kept(tf: Any, v: Inputs) -> Iterator[Step]:
    """A handle is made, and others are not known."""
    handle = tf.get_session_handle(v.known(v.any(2, 3)), name="kept")
    yield infers(handle)
    yield run(handle.op)
    unknown = "nothing;0;/job:localhost/replica:0/task:0/device:CPU:0"
    fed = np.array(unknown, object)
    holder, value = tf.get_session_tensor(unknown, v.element)
    yield infers(value)
    yield fails(
        "InvalidArgumentError",
        "The tensor with handle 'nothing;0;.*' is not in the session store.",
        value,
        feeds={holder: fed},
    )
    holder, deleted = tf.delete_session_tensor(unknown)
    yield fails(
        "InvalidArgumentError",
        "Failed to delete a tensor with handle 'nothing;0;.*' in the session store.",
        deleted,
        feeds={holder: fed},
    )


PROGRAMS = [
    Program(
        "GetSessionHandle GetSessionTensor DeleteSessionTensor",
        _kept,
        dtypes=("float32", "int32"),
    )
]
