"""Python's operators on tensors build the nodes that TensorFlow's build."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.differentiation.both import assert_same_graph
from tests.ops.math.test_names import b, i, positive, y

Program = Callable[[Any], Any]

OPERATORS: dict[str, Program] = {
    "numbers on the right": lambda t: [
        y(t) + 1.0,
        y(t) - 1.0,
        y(t) * 2.0,
        y(t) / 2.0,
        y(t) // 2.0,
        y(t) % 2.0,
        positive(t) ** 2.0,
        y(t) + 1,
        y(t) + np.float32(1),
        y(t) * [1.0, 2.0, 3.0],
    ],
    "numbers on the left": lambda t: [
        1.0 + y(t),
        1.0 - y(t),
        2.0 * y(t),
        2.0 / positive(t),
        2.0 // positive(t),
        2.0 % positive(t),
        2.0 ** y(t),
        np.ones([2, 3], np.float32) - y(t),
        [[1.0, 2.0]] @ y(t),
    ],
    "tensors": lambda t: [
        y(t) + y(t),
        y(t) - y(t),
        y(t) * y(t),
        y(t) / positive(t),
        y(t) // positive(t),
        y(t) % positive(t),
        positive(t) ** y(t),
        y(t) @ t.ones([3, 2]),
    ],
    "comparisons": lambda t: [
        y(t) < 1.0,
        y(t) <= y(t),
        y(t) > 1,
        y(t) >= 0.0,
        y(t) > 1.0,
        -y(t),
        abs(y(t)),
        +i(t) if hasattr(t.Tensor, "__pos__") else i(t) * 1,
    ],
    "integers": lambda t: [
        i(t) / 3,
        i(t) // 3,
        i(t) % 3,
        i(t) & 3,
        i(t) | 3,
        i(t) ^ 3,
        ~i(t),
        3 & i(t),
        3 | i(t),
        3 ^ i(t),
        i(t) ** 2,
    ],
    "bools": lambda t: [
        b(t) & b(t),
        b(t) | True,
        b(t) ^ b(t),
        ~b(t),
        True & b(t),
        False ^ b(t),
        b(t) * b(t),
    ],
    "identity": lambda t: t.constant([y(t) == None, y(t) != None, (lambda v: v == v)(y(t))]),  # noqa: E711
    "inside scopes": lambda t: _in_scope(t),
}


def _in_scope(t: Any) -> Any:
    with t.name_scope("layer"):
        total = y(t) * 2.0 + 1.0
    return t.matmul(total, total, transpose_b=True, name="layer/") - total[:, :2]


@pytest.mark.parametrize("program", OPERATORS.values(), ids=OPERATORS)
def test_operators(program: Program) -> None:
    assert_same_graph(program)
