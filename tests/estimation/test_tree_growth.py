"""The trees that each step of boosted trees leaves, as TensorFlow's tests of its own tell them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.estimation.trees.columns import grouped_by_buckets, names_of_features
from dataflow.estimation.trees.heads import create_classification_head, create_regression_head
from dataflow.estimation.trees.model import bt_model_fn
from dataflow.estimation.trees.options import TreeHParams
from dataflow.proto.boosted_trees_pb2 import TreeEnsemble
from dataflow.variables.resources import (
    initialize_resources,
    local_resources,
    shared_resources,
)
from tests.estimation.forests import (
    CLASSES,
    FEATURES,
    NUMBERS,
    ROWS,
    about,
    bucketized,
    numeric,
    shown,
)

IDS = "ids"
pytestmark = pytest.mark.usefixtures("variables_as_before")

OF_CLASSES = (
    (2, 2, 0.387675, 0.0, -0.181818, 0.0625),
    (
        *(2, 2, 0.387675, 0.0),
        (0, 3, 0.0, -0.181818, -0.348397, -0.181818),
        (0, 0, 0.105518, 0.0625, 0.224091, 0.056815),
    ),
    (1, 0, 0.287131, 0.0, 0.162042, -0.086986),
)
OF_CLASSES_FROM_THE_BIAS = (
    (2, 2, 0.407711, -0.405086, -0.556054, -0.301233),
    (
        *(2, 2, 0.407711, -0.405086),
        (0, 3, 0.0, -0.556054, -0.698072, -0.556054),
        (0, 0, 0.09876, -0.301233, -0.106016, -0.27349),
    ),
    (2, 2, 0.289927, 0.0, -0.134588, 0.083838),
)
OF_NUMBERS = (
    (1, 1, 1.169714, 0.0, 0.241322, 0.083951),
    (
        *(1, 1, 1.169714, 0.0),
        (0, 1, 2.673407, 0.241322, 0.563167, 0.247047),
        (0, 0, 0.324102, 0.083951, 0.095273, 0.222102),
    ),
    (1, 0, 0.981026, 0.0, 0.005166, 0.180281),
)
OF_NUMBERS_FROM_THE_BIAS = (
    (1, 1, 1.190442, 1.799974, 1.862786, 1.706149),
    (
        *(1, 1, 1.190442, 1.799974),
        (0, 1, 2.683594, 1.862786, 2.024487, 1.710319),
        (0, 0, 0.322693, 1.706149, 1.559208, 1.686037),
    ),
    (1, 0, 0.972589, 0.0, -0.137592, 0.034926),
)
STATES = (
    ([(1, False)], (1, 1, 1, 3)),
    ([(2, True), (0, False)], (1, 2, 0, 1)),
    ([(2, True), (1, False)], (2, 3, 1, 3)),
)
"""After the first, second and third layer, the trees' layers, and what was attempted."""


class Model:
    """The model function's graph, a session, and the trees after each step."""

    def __init__(
        self,
        classes: bool,
        in_memory: bool,
        options: TreeHParams,
        columns: Any,
        config: Any = None,
    ) -> None:
        head = create_classification_head(2) if classes else create_regression_head(1)
        with tf.Graph().as_default() as graph:
            tf.enable_resource_variables()
            features = {**FEATURES, IDS: np.arange(5)}
            self.spec = bt_model_fn(
                features,
                CLASSES if classes else NUMBERS,
                "train",
                head,
                columns,
                options,
                1,
                config or tf.estimator.RunConfig(),
                example_id_column_name=IDS,
                train_in_memory=in_memory,
            )
            handles = [each.handle for each in shared_resources()]
            with tf.control_dependencies([self.spec.train_op]):
                self._serialized = tf.raw_ops.BoostedTreesSerializeEnsemble(
                    tree_ensemble_handle=handles[0]
                )[1]
            self.handles = handles
            initial = tf.group(
                initialize_resources([*shared_resources(), *local_resources()]),
                tf.global_variables_initializer(),
                tf.local_variables_initializer(),
            )
        self.session = tf.Session(graph=graph)
        self.session.run(initial)

    def step(self) -> TreeEnsemble:
        return TreeEnsemble.FromString(self.session.run([self.spec.train_op, self._serialized])[1])


def options(center_bias: bool = False, **others: Any) -> TreeHParams:
    found = TreeHParams(2, 2, 0.1, 0.0, 0.01, 0.0, 0.0, center_bias, "none", 0.01)
    return found._replace(**others)


def check(found: TreeEnsemble, turn: int, trees: Any) -> None:
    wanted = ([trees[0]], [trees[1], 0.0], [trees[1], trees[2]])[turn]
    assert shown(found) == about(wanted)
    metadata = [(each.num_layers_grown, each.is_finalized) for each in found.tree_metadata]
    growing = found.growing_metadata
    attempted = (growing.num_trees_attempted, growing.num_layers_attempted)
    nodes = (growing.last_layer_node_start, growing.last_layer_node_end)
    assert (metadata, (*attempted, *nodes)) == STATES[turn]
    assert found.tree_weights == [1.0] * len(wanted)


@pytest.mark.parametrize("in_memory", [False, True])
@pytest.mark.parametrize("classes", [False, True])
def test_layers(classes: bool, in_memory: bool) -> None:
    model = Model(classes, in_memory, options(), bucketized())
    with model.session:
        for turn in range(3):
            check(model.step(), turn, OF_CLASSES if classes else OF_NUMBERS)


@pytest.mark.parametrize("in_memory", [False, True])
@pytest.mark.parametrize("classes", [False, True])
def test_layers_from_the_bias(classes: bool, in_memory: bool) -> None:
    model = Model(classes, in_memory, options(center_bias=True), bucketized())
    trees = OF_CLASSES_FROM_THE_BIAS if classes else OF_NUMBERS_FROM_THE_BIAS
    with model.session:
        for _ in range(4 if classes else 3):
            found = model.step()
        assert shown(found) == about([-0.405086 if classes else 1.799974])
        assert found.growing_metadata.num_layers_attempted == 0
        for turn in range(3):
            check(model.step(), turn, trees)


@pytest.mark.parametrize("in_memory", [False, True])
def test_layers_of_numbers_in_quantiles(in_memory: bool) -> None:
    model = Model(True, in_memory, options(), numeric())
    with model.session as session, session.graph.as_default():
        assert len(model.handles) == 2
        assert model.step() == TreeEnsemble()
        boundaries = tf.raw_ops.BoostedTreesQuantileStreamResourceGetBucketBoundaries(
            quantile_stream_resource_handle=model.handles[1], num_features=3
        )
        np.testing.assert_allclose(session.run(boundaries), np.sort(ROWS), rtol=1e-6)
        assert shown(model.step()) == about([(2, 1, 0.387675, 0.0, -0.181818, 0.0625)])
        second = (
            *(2, 1, 0.387675, 0.0),
            (0, 0, 0.0, -0.181818, -0.181818, -0.348397),
            (2, 3, 0.46758, 0.0625, 0.238795, -0.109513),
        )
        assert shown(model.step()) == about([second, 0.0])


def one_of_two_workers(is_chief: bool) -> Any:
    return SimpleNamespace(num_worker_replicas=2, num_ps_replicas=1, is_chief=is_chief)


def test_several_workers() -> None:
    """A worker reads a copy of the trees; the chief grows them."""
    model = Model(False, False, options(), bucketized(), one_of_two_workers(True))
    with model.session:
        for turn in range(3):
            check(model.step(), turn, OF_NUMBERS)
    with model.session.graph.as_default():
        assert len(local_resources()) == 1
    # Another worker changes nothing, neither boundaries nor the bias nor trees.
    for columns, bias in ((numeric(), False), (bucketized(), True), (bucketized(), False)):
        other = one_of_two_workers(False)
        model = Model(False, False, options(center_bias=bias), columns, other)
        with model.session:
            for _ in range(2):
                assert model.step() == TreeEnsemble()
    with pytest.raises(ValueError, match="supported only for non-distributed training"):
        Model(False, True, options(), bucketized(), one_of_two_workers(True))


def test_features_of_columns() -> None:
    column = tf.feature_column
    words = column.categorical_column_with_vocabulary_list("c", ("x", "y"))
    vector = column.numeric_column("a", shape=(2,))
    few, many = (
        column.bucketized_column(column.numeric_column(name), boundaries)
        for name, boundaries in (("b", [0.0]), ("d", [0.0, 1.0, 2.0]))
    )
    columns = [vector, few, column.indicator_column(words), many]
    # Bucketized columns come last and have as many buckets as the one that has the most.
    assert grouped_by_buckets(columns, 7) == ([7, 2, 4], [[0, 1], [3, 4], [2, 5]])
    assert grouped_by_buckets(columns[:3], 7) == ([7, 2], [[0, 1], [3, 4, 2]])
    assert grouped_by_buckets(columns, 4) == ([4, 2], [[0, 1, 2, 5], [3, 4]])
    names = ["a", "a", "b_bucketized", "c", "c", "d_bucketized"]
    assert names_of_features(columns) == names
