"""Examples in the docstrings of public functions and classes print what they say."""

from __future__ import annotations

import doctest
import inspect
import os
import tempfile
from collections.abc import Iterator
from typing import Final

import numpy as np

import dataflow as tf
from tests.public_names.lists import ours
from tools.documents.site import value

COMMON: Final = [
    "Graph",
    "Session",
    "InteractiveSession",
    "Variable",
    "SparseTensor",
    "boolean_mask",
    "case",
    "cast",
    "clip_by_global_norm",
    "concat",
    "cond",
    "constant",
    "control_dependencies",
    "einsum",
    "foldl",
    "gather",
    "get_variable",
    "gradients",
    "import_graph_def",
    "map_fn",
    "matmul",
    "name_scope",
    "one_hot",
    "placeholder",
    "placeholder_with_default",
    "py_func",
    "reduce_mean",
    "reduce_sum",
    "reshape",
    "scan",
    "split",
    "stack",
    "transpose",
    "variable_scope",
    "where",
    "while_loop",
    "data.Dataset",
    "estimator.Estimator",
    "layers.Conv2D",
    "layers.Dense",
    "nn.conv2d",
    "nn.dynamic_rnn",
    "nn.embedding_lookup",
    "nn.softmax",
    "nn.sparse_softmax_cross_entropy_with_logits",
    "train.AdamOptimizer",
    "train.GradientDescentOptimizer",
    "train.Saver",
    "train.exponential_decay",
]
"""What programs use most: each has an example."""

_KNOWN: Final = {"tf": tf, "np": np, "os": os, "tempfile": tempfile}


def _examples() -> Iterator[doctest.DocTest]:
    """Each docstring that has examples once, by one of its names."""
    parser, seen = doctest.DocTestParser(), set()
    for path, name in ours().items():
        if name.kind not in ("function", "class"):
            continue
        told = inspect.getdoc(value(path)) or ""
        if ">>>" in told and told not in seen:
            seen.add(told)
            yield parser.get_doctest(told, dict(_KNOWN), path, path, 0)


def test_what_is_common_has_an_example() -> None:
    lacking = [name for name in COMMON if ">>>" not in (inspect.getdoc(value(f"tf.{name}")) or "")]
    assert not lacking


def test_examples() -> None:
    wrong: list[str] = []
    runner = doctest.DocTestRunner()
    for example in _examples():
        with tf.Graph().as_default():
            runner.run(example, out=wrong.append)
    assert not wrong, "".join(wrong)
    assert runner.tries > len(COMMON)
