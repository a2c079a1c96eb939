"""Each of TensorFlow's ops is there, or `left_out_ops.txt` says why not."""

from __future__ import annotations

from dataflow.schema.opdef import registered_ops
from tests.public_names.lists import reasons, their_ops


def test_each_op_is_there_or_has_a_reason() -> None:
    left_out = reasons("left_out_ops.txt")
    assert their_ops() - registered_ops().keys() == left_out.keys()
    assert all(left_out.values())
