"""Scenes in which ensembles grow by drawn splits, and tell what they say of drawn examples."""

import numpy as np

from tests.contrib.boosted_trees.scenes import long

EXAMPLES = 60


def _leaf(leaf, values, sparse):
    if sparse:
        leaf.sparse_vector.index.append(1)
        leaf.sparse_vector.value.append(values[0])
    else:
        leaf.vector.value.extend(values)


def _split(draw, protos, kind, logits, sparse):
    info = protos.SplitInfo()
    node = info.split_node
    if kind == 0:
        node.dense_float_binary_split.feature_column = draw.randint(0, 2)
        node.dense_float_binary_split.threshold = draw.randn()
    elif kind == 1:
        goes_left = draw.rand() < 0.5
        name = "sparse_float_binary_split_default_" + ("left" if goes_left else "right")
        split = getattr(node, name).split
        split.threshold, split.dimension_id = draw.randn(), draw.randint(0, 2)
    else:
        node.categorical_id_binary_split.feature_id = draw.randint(0, 4)
    _leaf(info.left_child, draw.randn(logits).tolist(), sparse)
    _leaf(info.right_child, draw.randn(logits).tolist(), sparse)
    return info.SerializeToString()


def _layer(draw, protos, nodes, kind, logits):
    info = protos.ObliviousSplitInfo()
    node = info.split_node
    if kind == 0:
        node.oblivious_dense_float_binary_split.feature_column = draw.randint(0, 2)
        node.oblivious_dense_float_binary_split.threshold = draw.randn()
    else:
        node.oblivious_categorical_id_binary_split.feature_id = draw.randint(0, 4)
    for each in nodes:
        info.children_parent_id.append(each)
        _leaf(info.children.add(), draw.randn(logits).tolist(), False)
        _leaf(info.children.add(), draw.randn(logits).tolist(), False)
    return info.SerializeToString()


def _features(draw):
    pairs = set(
        zip(draw.randint(0, EXAMPLES, 50).tolist(), draw.randint(0, 2, 50).tolist(), strict=False)
    )
    indices = np.array(sorted(pairs), np.int64)
    several = np.array(
        [(row, at) for row in range(EXAMPLES) for at in range(draw.randint(0, 3))], np.int64
    )
    shape = np.array([EXAMPLES, 2], np.int64)
    return {
        "dense_float_features": [draw.randn(EXAMPLES, 1).astype(np.float32) for _ in range(2)],
        "sparse_float_feature_indices": [indices],
        "sparse_float_feature_values": [draw.randn(len(indices)).astype(np.float32)],
        "sparse_float_feature_shapes": [shape],
        "sparse_int_feature_indices": [several],
        "sparse_int_feature_values": [draw.randint(0, 4, len(several)).astype(np.int64)],
        "sparse_int_feature_shapes": [shape],
    }


def grown(play, protos, config, logits, sparse, has_bias, steps=10):
    """An ensemble that grows: its bytes, its numbers and predictions after each step.

    Args:
      play: Calls ops.
      protos: Has the messages.
      config: A LearnerConfig.
      logits: How many values leaves have.
      sparse: Whether leaves name their classes.
      has_bias: Whether a bias is centered first.
      steps: How many steps.
    """
    draw = np.random.RandomState(7)
    oblivious = bool(config.weak_learner_type)
    attrs = {"learner_config": config.SerializeToString(), "center_bias": has_bias}
    held = {"tree_ensemble_handle": play.handle("trees", "DecisionTreeEnsembleResourceHandleOp")}
    found = list(play("TreeEnsembleIsInitializedOp", **held))
    play(
        "CreateTreeEnsembleVariable",
        stamp_token=long(0),
        tree_ensemble_config=np.array(b"", object),
        **held,
    )
    features, stamp = _features(draw), 0
    if has_bias:
        for delta in (0.5, 0.001):
            found += play(
                "CenterTreeEnsembleBias",
                {"learner_config": attrs["learner_config"], "centering_epsilon": 0.01},
                stamp_token=long(stamp),
                next_stamp_token=long(stamp + 1),
                delta_updates=np.full(logits, delta, np.float32),
                **held,
            )
            stamp += 1
    for step in range(steps):
        _, message = play("TreeEnsembleSerialize", **held)
        ensemble = protos.DecisionTreeEnsembleConfig.FromString(message)
        nodes = [0]
        if ensemble.trees and not ensemble.tree_metadata[-1].is_finalized:
            last = ensemble.trees[-1].nodes
            nodes = [at for at, node in enumerate(last) if node.WhichOneof("node") == "leaf"][-4:]
            if not oblivious:
                nodes = [node for node in nodes if draw.rand() < 0.8]
        parts, gains, offers = [], [], []
        for kind in range(3):
            if oblivious:
                own = nodes
                gains.append(np.array([draw.randn() * 0.5 + 0.4], np.float32))
                offers.append(np.array([_layer(draw, protos, nodes, kind % 2, logits)], object))
            else:
                own = [node for node in nodes if draw.rand() < 0.9]
                gains.append(np.array([draw.randint(-2, 3) * 0.5 for _ in own], np.float32))
                offers.append(
                    np.array([_split(draw, protos, kind, logits, sparse) for _ in own], object)
                )
            parts.append(np.array(own, np.int32))
        play(
            "GrowTreeEnsemble",
            attrs,
            stamp_token=long(stamp),
            next_stamp_token=long(stamp + 1),
            learning_rate=np.float32(0.3),
            dropout_seed=long(step // 3),
            max_tree_depth=np.int32(3),
            weak_learner_type=np.int32(oblivious),
            partition_ids=parts,
            gains=gains,
            splits=offers,
            **held,
        )
        stamp += 1
        found += play("TreeEnsembleSerialize", **held)
        found += play("TreeEnsembleStampToken", **held)
        found += play("TreeEnsembleStats", stamp_token=long(stamp), **held)
        found += play(
            "TreeEnsembleUsedHandlers", {"num_all_handlers": 3}, stamp_token=long(stamp), **held
        )
        drops = step % 2 == 1
        told = dict(
            attrs,
            use_locking=True,
            apply_dropout=drops,
            apply_averaging=not drops,
            reduce_dim=config.num_classes == 2,
        )
        seen = play(
            "GradientTreesPredictionVerbose", told, seed=long(step), **dict(held, **features)
        )
        found += seen[:2] if drops or config.growing_mode == 1 else seen
        found += play(
            "GradientTreesPartitionExamples", {"use_locking": True}, **dict(held, **features)
        )
    play(
        "TreeEnsembleDeserialize",
        stamp_token=long(99),
        tree_ensemble_config=np.array(message, object),
        **held,
    )
    return found + list(
        play("GradientTreesPrediction", told, seed=long(3), **dict(held, **features))
    )
