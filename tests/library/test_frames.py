"""Frames of signals: what comes back through them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.oracle import open_session


@pytest.mark.parametrize("pad_end", [False, True])
def test_their_gradient_is_a_tensor(pad_end: bool) -> None:
    found = []
    for library in (tf, oracle):
        with library.Graph().as_default(), open_session(library) as session:
            signal: Any = library.constant(np.arange(9.0))
            framed = library.signal.frame(signal, 4, 2, pad_end=pad_end)
            (slope,) = library.gradients(framed * framed, signal)
            assert isinstance(slope, library.Tensor)
            assert slope.shape.as_list() == [9]
            found.append(session.run(slope))
    assert np.array_equal(*found)
