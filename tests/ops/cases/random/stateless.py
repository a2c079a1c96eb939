"""Rows for random numbers that inputs decide on alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.program import Inputs, Program, Step, fails, infers, run


def _multinomial(tf: Any, v: Inputs) -> Iterator[Step]:
    make = tf.raw_ops.StatelessMultinomial
    for seed in ([0, 0], [1, 0], [0, 1], [-3, 12345678901]):
        logits = v.known(v.any(1, 5))
        drawn = make(logits=logits, num_samples=7, seed=v.known(seed, np.int64))
        yield infers(drawn)
        yield run(drawn)
    drawn = make(logits=v.known(v.any(1, 5)), num_samples=3, seed=[4, 5], output_dtype=tf.int32)
    yield run(drawn)
    wrong = make(logits=v.hidden(v.any(1, 5)), num_samples=3, seed=v.hidden([4, 5, 6], np.int64))
    yield fails("InvalidArgumentError", r"seed must have shape \[2\]", wrong)


PROGRAMS = [Program("StatelessMultinomial", _multinomial, ("float32", "float64"))]
