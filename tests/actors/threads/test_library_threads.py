"""The threads of libraries that come with the first kernel that calls them."""

from __future__ import annotations

import subprocess
import sys

import pytest

_PROGRAM = """
import numpy as np
import threadpoolctl
import dataflow as tf

def blas():
    return [one for one in threadpoolctl.threadpool_info() if one["user_api"] == "blas"]

x = tf.placeholder(tf.float64, [3, 3])
with tf.Session() as session:
    known = len(blas())
    session.run({kernel}, {{x: 4 * np.eye(3)}})
    found = blas()
    print(len(found) > known, {{one["num_threads"] for one in found}})
"""


@pytest.mark.parametrize(
    "kernel",
    [
        "tf.cholesky(x)",
        "tf.raw_ops.CholeskyGrad(l=x, grad=x)",
        "tf.matrix_triangular_solve(x, x)",
        "tf.linalg.lu(x)[0]",
    ],
)
def test_are_bounded_like_those_of_others(kernel: str) -> None:
    """A library that is loaded with the plan is bounded; one that a step loads would not be."""
    program = [sys.executable, "-c", _PROGRAM.format(kernel=kernel)]
    done = subprocess.run(program, capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.split("\n")[-2] == "True {1}"
