"""The graphs of training: node for node those of TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.gradients.both import assert_same_graph
from tests.training.models import OPTIMIZERS, regression

KINDS = pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])


@KINDS
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_minimize(optimizer: str, use_resource: bool) -> None:
    """Dense and sparse gradients, slots, and the step itself."""

    def program(tf: Any) -> Any:
        loss = regression(tf, use_resource)
        OPTIMIZERS[optimizer](tf).minimize(loss)
        tf.global_variables_initializer()
        return []

    assert_same_graph(program)
