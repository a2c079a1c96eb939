"""Estimators of trees tell what TensorFlow 1.15's tell: the numbers are its own, to 5 digits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib.boosted_trees.estimator_batch import custom_export_strategy as exports
from dataflow.contrib.boosted_trees.estimator_batch import dnn_tree_combined_estimator as nets
from dataflow.contrib.boosted_trees.estimator_batch import estimator as trees
from dataflow.contrib.boosted_trees.estimator_batch.custom_loss_head import CustomLossHead
from dataflow.contrib.boosted_trees.losses import per_example_squared_loss
from dataflow.contrib.learn.heads.classes import multi_class_head
from dataflow.contrib.learn.utils.input_fn_utils import InputFnOps
from dataflow.proto.learner_pb2 import LearnerConfig

_COUNT = 200
_DRAW = np.random.RandomState(0)
_X = _DRAW.randn(_COUNT, 2).astype(np.float32)
_Y = (_X[:, 0] * 2 + _X[:, 1]).astype(np.float32)[:, None]
_CLASSES = np.digitize(_Y[:, 0], [-1, 1]).astype(np.int32)
_CATEGORIES = _DRAW.randint(0, 4, _COUNT).astype(np.int64)
_PLACES = np.array([(i, j) for i in range(_COUNT) for j in range(2) if (i + j) % 3], np.int64)
_SOME = np.array([_X[i, j] for i, j in _PLACES], np.float32)
_COMMON: dict[str, Any] = {"num_trees": 3, "examples_per_layer": _COUNT}


def _config(classes: int = 0, depth: int = 2, **options: Any) -> LearnerConfig:
    made = LearnerConfig(num_classes=classes, **options)
    made.constraints.max_tree_depth = depth
    made.regularization.l2 = 0.005
    made.learning_rate_tuner.fixed.learning_rate = 0.3
    return made


def _features() -> dict[str, Any]:
    rows = np.stack([np.arange(_COUNT), np.zeros(_COUNT, np.int64)], 1)
    return {
        "x": tf.constant(_X),
        "s": tf.SparseTensor(_PLACES, tf.constant(_SOME), [_COUNT, 2]),
        "c": tf.SparseTensor(rows, tf.constant(_CATEGORIES), [_COUNT, 1]),
    }


def _inputs(labels: Any) -> Any:
    return lambda: (_features(), tf.constant(labels))


def _pairs() -> Any:
    features = {"a.x": tf.constant(_X), "b.x": tf.constant(_X[::-1].copy())}
    return features, tf.constant((_Y[::-1] < _Y).astype(np.float32))


def _told(
    estimator: Any, inputs: Any, single: Any = None, evaluates: bool = False
) -> dict[str, Any]:
    """What the first prediction says after training, and perhaps an evaluation."""
    estimator.train(inputs, steps=30)
    found = estimator.evaluate(input_fn=inputs, steps=1) if evaluates else {}
    found["global_step"] = estimator.get_variable_value("global_step")
    single = single or (lambda: inputs()[0])
    return {**found, **next(iter(estimator.predict(input_fn=single)))}


def _assert_like(found: dict[str, Any], **expected: Any) -> None:
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, atol=2e-5, err_msg=name)


@pytest.mark.parametrize(
    ("strategy", "loss", "logits"),
    [
        (LearnerConfig.TREE_PER_CLASS, 0.64288, [-0.68603, -0.06097, 1.14244]),
        (LearnerConfig.DIAGONAL_HESSIAN, 0.40411, [-1.6293, -0.4983, 1.60546]),
        (LearnerConfig.FULL_HESSIAN, 0.4862, [-1.17405, -0.27523, 1.44929]),
    ],
)
def test_classes(tmp_path: Path, strategy: Any, loss: float, logits: Any) -> None:
    made = trees.GradientBoostedDecisionTreeClassifier(
        _config(3, multi_class_strategy=strategy),
        n_classes=3,
        center_bias=False,
        model_dir=tmp_path,
        **_COMMON,
    )
    _assert_like(
        _told(made, _inputs(_CLASSES), evaluates=True), loss=loss, logits=logits, global_step=7
    )


def test_leaves_of_whole_trees(tmp_path: Path) -> None:
    made = trees.GradientBoostedDecisionTreeClassifier(
        _config(2, growing_mode=LearnerConfig.WHOLE_TREE),
        center_bias=False,
        output_leaf_index=True,
        model_dir=tmp_path,
        **_COMMON,
    )
    found = _told(made, _inputs((_CLASSES > 1).astype(np.int32)))
    _assert_like(found, leaf_index=[6, 6, 6], logits=[1.28169])


def _per_level(config: LearnerConfig) -> None:
    config.feature_fraction_per_level = 0.5


def _per_tree(config: LearnerConfig) -> None:
    config.feature_fraction_per_tree = 0.5


def _of_one(config: LearnerConfig) -> None:
    config.constraints.max_number_of_unique_feature_columns = 1


@pytest.mark.parametrize(
    ("change", "score"), [(_per_level, 3.53358), (_per_tree, 0.73204), (_of_one, 3.28466)]
)
def test_some_features(tmp_path: Path, change: Any, score: float) -> None:
    config = _config(depth=3)
    change(config)
    made = trees.GradientBoostedDecisionTreeRegressor(
        config, center_bias=False, model_dir=tmp_path, **_COMMON
    )
    _assert_like(_told(made, _inputs(_Y)), scores=score, global_step=10)


def test_dropout_and_averages(tmp_path: Path) -> None:
    config = _config(depth=3)
    config.learning_rate_tuner.dropout.dropout_probability = 0.5
    config.learning_rate_tuner.dropout.learning_rate = 0.4
    config.averaging_config.average_last_n_trees = 2
    made = trees.GradientBoostedDecisionTreeRegressor(
        config, model_dir=tmp_path, num_trees=5, examples_per_layer=_COUNT
    )
    _assert_like(_told(made, _inputs(_Y)), scores=2.97871, global_step=17)


def test_own_losses(tmp_path: Path) -> None:
    head = CustomLossHead(per_example_squared_loss, tf.identity, 1)
    made = trees.GradientBoostedDecisionTreeEstimator(
        _config(2), head=head, model_dir=tmp_path, **_COMMON
    )
    _assert_like(_told(made, _inputs(_Y)), scores=2.65174, global_step=8)


def test_ranks(tmp_path: Path) -> None:
    made = trees.GradientBoostedDecisionTreeRanker(
        _config(2),
        head=multi_class_head(n_classes=2),
        ranking_model_pair_keys=("a", "b"),
        model_dir=tmp_path,
        **_COMMON,
    )
    found = _told(made, _pairs, lambda: {"x": tf.constant(_X)}, evaluates=True)
    _assert_like(found, loss=0.27591, accuracy=0.935, logits=[1.36116])


def test_quantiles_by_either_interface(tmp_path: Path) -> None:
    config = _config(2)
    config.constraints.min_node_weight = 1 / _COUNT
    older = trees.GradientBoostedDecisionTreeQuantileRegressor(
        config, quantiles=[0.9], model_dir=tmp_path / "older", **_COMMON
    )
    _assert_like(_told(older, _inputs(_Y)), scores=4.08245, global_step=13)
    core = trees.CoreGradientBoostedDecisionTreeQuantileRegressor(
        config,
        quantiles=[0.9],
        feature_columns=[tf.feature_column.numeric_column("x", shape=(2,))],
        model_dir=tmp_path / "core",
        **_COMMON,
    )
    _assert_like(_told(core, _inputs(_Y)), predictions=[4.08245])
    with pytest.raises(ValueError, match="just one quantile"):
        trees.GradientBoostedDecisionTreeQuantileRegressor(config, 9, quantiles=[0.1, 0.9])


def test_core_classes(tmp_path: Path) -> None:
    made = trees.CoreGradientBoostedDecisionTreeEstimator(
        _config(3),
        head=trees.core_multiclass_head(3),
        feature_columns=[tf.feature_column.numeric_column("x", shape=(2,))],
        center_bias=False,
        model_dir=tmp_path,
        **_COMMON,
    )
    found = _told(made, _inputs(_CLASSES), evaluates=True)
    _assert_like(found, loss=0.40436, logits=[-1.6293, -0.4983, 1.60546])


@pytest.mark.parametrize("distills", [False, True])
def test_a_net_with_trees(tmp_path: Path, distills: bool) -> None:
    made = nets.DNNBoostedTreeCombinedClassifier(
        dnn_hidden_units=[3],
        dnn_feature_columns=[tf.contrib.layers.real_valued_column("x", dimension=2)],
        tree_learner_config=_config(2),
        num_trees=2,
        tree_examples_per_layer=_COUNT,
        dnn_steps_to_train=5,
        dnn_to_tree_distillation_param=(1.0, None) if distills else None,
        model_dir=tmp_path,
    )
    found = _told(made, _inputs((_CLASSES > 1).astype(np.int32)), evaluates=True)
    # Five steps of the net, one without boundaries of buckets, and two layers for each tree.
    assert found["global_step"] == 10
    assert found["accuracy"] > 0.85
    weights = made.get_variable_value("dnn/hiddenlayer_0/weights")
    assert weights.shape == (2, 3)


def test_training_goes_on_from_a_checkpoint(tmp_path: Path) -> None:
    def made() -> Any:
        return trees.GradientBoostedDecisionTreeRegressor(_config(), model_dir=tmp_path, **_COMMON)

    made().fit(input_fn=_inputs(_Y), steps=3)
    # The statistics and buckets of the unfinished layer are restored, too.
    _assert_like(_told(made(), _inputs(_Y)), scores=2.65174, global_step=8)


def test_exports(tmp_path: Path) -> None:
    """What a SavedModel says, what the trees are told as, and what features gain."""
    made = trees.GradientBoostedDecisionTreeRegressor(
        _config(), model_dir=tmp_path / "model", **_COMMON
    )
    made.train(_inputs(_Y), steps=30)
    converted: list[Any] = []

    def serving() -> InputFnOps:
        features = _features()
        features["x"] = tf.placeholder_with_default(_X, [None, 2])
        return InputFnOps(features, None, {"x": features["x"]})

    def convert(ensemble: Any, names: Any, *counts: Any) -> None:
        converted.extend(
            [
                names,
                counts[:3],
                exports.convert_to_universal_format(ensemble, names, *counts[:3]),
                ensemble,
            ]
        )

    with tf.Graph().as_default():
        strategy = exports.make_custom_export_strategy("trees", convert, None, serving)
    folder = Path(strategy.export(made, str(tmp_path / "export")).decode())
    names, counts, model, ensemble = converted
    assert (names, counts) == (["x_0", "x_1", "s", "c"], (2, 1, 1))
    lines = (folder / "assets.extra" / "feature_importances").read_text().splitlines()
    # As 1.15 counts: gains times the weights of trees.
    assert lines == ["x_0, 2.926507", "x_1, 0.503229"]
    members = model.model.ensemble.members
    assert len(members) == len(ensemble.trees) == 4
    root = members[1].submodel.decision_tree.nodes[0].binary_node
    assert root.inequality_left_child_test.feature_id.id.value == "x_0"
    split = ensemble.trees[1].nodes[0].dense_float_binary_split
    assert root.inequality_left_child_test.threshold.float_value == split.threshold
    leaf = members[3].submodel.decision_tree.nodes[-1].leaf.vector.value[0].float_value
    value = ensemble.trees[3].nodes[-1].leaf.vector.value[0] * ensemble.tree_weights[3]
    np.testing.assert_allclose(leaf, value, rtol=1e-6)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.saved_model.load(session, ["serve"], str(folder))
        signature = session.graph.get_operation_by_name("ensemble_model/TreeEnsembleSerialize")
        assert session.run(signature.outputs[1]) == ensemble.SerializeToString()


def test_mistakes(tmp_path: Path) -> None:
    kind = trees.GradientBoostedDecisionTreeClassifier
    with pytest.raises(ValueError, match=r"n_classes \(3\) doesn't match learner_config \(2\)"):
        kind(_config(2), 9, n_classes=3)
    searching = _config(2)
    searching.learning_rate_tuner.line_search.num_steps = 3
    with pytest.raises(ValueError, match="Line search"):
        kind(searching, 9, model_dir=tmp_path / "1").fit(input_fn=_inputs(_CLASSES), steps=1)
    oblivious = _config(2, weak_learner_type=1, pruning_mode=2)
    with pytest.raises(ValueError, match="oblivious"):
        kind(oblivious, 9, model_dir=tmp_path / "2").fit(input_fn=_inputs(_CLASSES), steps=1)
    with pytest.raises(ValueError, match="Center bias should be False"):
        kind(_config(3), 9, 3, model_dir=tmp_path / "3").fit(input_fn=_inputs(_CLASSES), steps=1)
