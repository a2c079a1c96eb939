"""What an editor that asks jedi offers: names of lazy modules, members of what calls return."""

from __future__ import annotations

import jedi
import pytest

_OFFERED = {
    "tf.nn.": ("relu", "conv2d", "rnn_cell"),
    "tf.": ("train", "profiler", "placeholder"),
    "tf.contrib.layers.": ("fully_connected",),
    "tf.placeholder(tf.float32).": ("shape", "eval", "get_shape", "op"),
    "tf.matmul(tf.ones([2, 2]), tf.ones([2, 2])).": ("dtype", "name"),
    "(tf.constant(1.0) + 2).": ("shape", "consumers"),
    "tf.get_variable('v', [2]).": ("assign", "initializer", "load"),
    "tf.Session().": ("run", "close", "graph"),
    "tf.train.AdamOptimizer(0.1).": ("minimize", "compute_gradients"),
    "tf.train.AdamOptimizer(0.1).minimize(tf.constant(1.0)).": ("run", "name"),
    "tf.get_default_graph().": ("as_graph_def", "show"),
}


@pytest.mark.parametrize("module", ["dataflow", "dataflow.compat.v1"])
def test_completions(module: str) -> None:
    for text, names in _OFFERED.items():
        offered = {each.name for each in jedi.Script(f"import {module} as tf\n{text}").complete()}
        assert not set(names) - offered, f"{text} offers {sorted(offered)[:20]}"
