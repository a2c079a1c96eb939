"""The part of a range that values lie in."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.oracle import open_session


@pytest.mark.parametrize("values", [[-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [[0.1, 4.9], [2.5, 3.3]]])
def test_values_lie_where_tensorflow_says(values: list[float]) -> None:
    found = []
    for library in (oracle, tf):
        with library.Graph().as_default(), open_session(library) as session:
            parts = library.histogram_fixed_width_bins(np.array(values, np.float32), [0.0, 5.0], 7)
            found.append((session.run(parts), [op.name for op in parts.graph.get_operations()]))
    (want, names), (have, our_names) = found
    assert have.dtype == want.dtype
    np.testing.assert_array_equal(have, want)
    assert our_names == names
