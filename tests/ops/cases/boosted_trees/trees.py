"""Rows for statistics, splits, growing and predictions: what is known of them while building."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tests.ops.program import Inputs, Program, Step, infers, refused_alike

_INTEGERS = np.zeros(3, np.int32)
_PAIR = np.array([0, 2], np.int32)


def _floats(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


def _integers(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.int32)


def _handle(tf: Any, v: Inputs) -> dict[str, Any]:
    made = tf.raw_ops.BoostedTreesEnsembleResourceHandleOp(shared_name=f"rows_tree_{v.name}")
    return {"tree_ensemble_handle": made}


def _statistics(tf: Any, v: Inputs) -> Iterator[Step]:
    raw = tf.raw_ops

    def given(place: Callable[..., Any], columns: int = 1, rows: int = 3) -> dict[str, Any]:
        return {
            "node_ids": place(_integers(3)),
            "gradients": place(_floats(rows, 1)),
            "hessians": place(_floats(rows, columns)),
            "max_splits": 4,
            "num_buckets": 5,
        }

    summed = raw.BoostedTreesMakeStatsSummary(
        **given(v.fed), bucketized_features_list=[v.fed(_INTEGERS), v.fed(_INTEGERS)]
    )
    aggregated = raw.BoostedTreesAggregateStats(**given(v.fed, 2), feature=v.fed(_integers(3, 2)))
    sparse = {
        "feature_indices": v.fed(_integers(1, 2)),
        "feature_values": v.fed(_integers(1)),
        "feature_shape": v.fed(_PAIR),
    }
    yield infers(
        summed, aggregated, *raw.BoostedTreesSparseAggregateStats(**given(v.fed), **sparse)
    )
    for options in ({"columns": 2}, {"rows": 2}):
        yield refused_alike(
            lambda options=options: raw.BoostedTreesMakeStatsSummary(
                **given(v.known, **options), bucketized_features_list=[v.known(_INTEGERS)]
            )
        )
    for build in (
        lambda: raw.BoostedTreesMakeStatsSummary(
            **given(v.known), bucketized_features_list=[v.known(_integers(2))]
        ),
        lambda: raw.BoostedTreesAggregateStats(**given(v.known), feature=v.known(_integers(2, 2))),
        lambda: raw.BoostedTreesSparseAggregateStats(
            **given(v.known),
            feature_indices=v.known(_integers(1, 2)),
            feature_values=v.known(_integers(1)),
            feature_shape=v.known(_integers(3)),
        ),
        lambda: raw.BoostedTreesSparseAggregateStats(
            **given(v.known),
            feature_indices=v.known(_integers(1, 2)),
            feature_values=v.known(_integers(2)),
            feature_shape=v.known(_PAIR),
        ),
    ):
        yield refused_alike(build)


def _splits(tf: Any, v: Inputs) -> Iterator[Step]:
    raw = tf.raw_ops

    def limits(place: Callable[..., Any], *shape: int) -> dict[str, Any]:
        names = ("l1", "l2", "tree_complexity")
        return {
            **{name: place(_floats()) for name in names},
            "min_node_weight": place(_floats(*shape)),
        }

    node_ids = {"node_id_range": v.fed(_PAIR)}
    gains = raw.BoostedTreesCalculateBestGainsPerFeature(
        **node_ids,
        stats_summary_list=[v.fed(_floats(4, 5, 2)), v.fed(_floats(4, 5, 2))],
        **limits(v.fed),
        max_splits=4,
    )
    yield infers(*(tensor for tensors in gains for tensor in tensors))
    best = raw.BoostedTreesCalculateBestFeatureSplit(
        **node_ids, stats_summary=v.fed(_floats(4, 2, 5, 6)), **limits(v.fed), logits_dimension=3
    )
    of_features = raw.BoostedTreesCalculateBestFeatureSplitV2(
        **node_ids,
        stats_summaries_list=[v.fed(_floats(4, 2, 5, 2)), v.fed(_floats(4, 2, 5, 2))],
        split_types=v.fed(np.array([b"inequality", b"equality"], object)),
        candidate_feature_ids=v.fed(_PAIR),
        **limits(v.fed),
        logits_dimension=1,
    )
    sparse = raw.BoostedTreesSparseCalculateBestFeatureSplit(
        **node_ids,
        stats_summary_indices=v.fed(_integers(1, 4)),
        stats_summary_values=v.fed(_floats(1)),
        stats_summary_shape=v.fed(_integers(4)),
        **limits(v.fed),
        logits_dimension=1,
    )
    yield infers(*best, *of_features, *sparse)

    def of(shape: tuple[int, ...], *more: int, range_size: int = 2) -> Callable[[], Any]:
        return lambda: raw.BoostedTreesCalculateBestFeatureSplit(
            node_id_range=v.known(_integers(range_size)),
            stats_summary=v.known(_floats(*shape)),
            **limits(v.known, *more),
            logits_dimension=1,
        )

    for build in (
        of((4, 5, 2)),
        of((4, 2, 5, 2), 1),
        of((4, 2, 5, 2), range_size=3),
        lambda: raw.BoostedTreesCalculateBestGainsPerFeature(
            node_id_range=v.known(_PAIR),
            stats_summary_list=[v.known(_floats(4, 5, 3))],
            **limits(v.known),
            max_splits=4,
        ),
        lambda: raw.BoostedTreesCalculateBestFeatureSplitV2(
            node_id_range=v.known(_PAIR),
            stats_summaries_list=[v.known(_floats(4, 2, 5, 2)), v.known(_floats(4, 1, 5, 2))],
            split_types=["inequality"] * 2,
            candidate_feature_ids=[0, 1],
            **limits(v.known),
            logits_dimension=1,
        ),
    ):
        yield refused_alike(build)


def _growing(tf: Any, v: Inputs) -> Iterator[Step]:
    raw, handle = tf.raw_ops, _handle(tf, v)

    def splits(place: Callable[..., Any], logits: int = 1, **sizes: int) -> dict[str, Any]:
        return {
            "node_ids": [place(_integers(2))],
            "gains": [place(_floats(sizes.get("gains", 2)))],
            "thresholds": [place(_integers(2))],
            "left_node_contribs": [place(_floats(2, sizes.get("left", logits)))],
            "right_node_contribs": [place(_floats(2, logits))],
            "max_depth": 3,
            "learning_rate": 0.1,
        }

    def kinds(place: Callable[..., Any], size: int = 2) -> dict[str, Any]:
        return {
            "dimension_ids": [place(_integers(2))],
            "split_types": [place(np.array([b"INEQUALITY_DEFAULT_LEFT"] * size, object))],
            "pruning_mode": 0,
        }

    updated = raw.BoostedTreesUpdateEnsemble(
        **handle, feature_ids=v.fed(_integers(1)), **splits(v.fed), pruning_mode=0
    )
    with_kinds = raw.BoostedTreesUpdateEnsembleV2(
        **handle,
        feature_ids=[v.fed(_integers(2))],
        **splits(v.fed, 2),
        **kinds(v.fed),
        logits_dimension=2,
    )
    centered = raw.BoostedTreesCenterBias(
        **handle,
        mean_gradients=v.fed(_floats(1, 1)),
        mean_hessians=v.fed(_floats(1, 1)),
        l1=v.fed(_floats()),
        l2=v.fed(_floats()),
    )
    yield infers(updated, with_kinds, centered)
    for sizes in ({"gains": 3}, {"left": 2}):
        yield refused_alike(
            lambda sizes=sizes: raw.BoostedTreesUpdateEnsemble(
                **handle,
                feature_ids=v.known(_integers(1)),
                **splits(v.known, **sizes),
                pruning_mode=0,
            )
        )
        yield refused_alike(
            lambda sizes=sizes: raw.BoostedTreesUpdateEnsembleV2(
                **handle,
                feature_ids=[v.known(_integers(2))],
                **splits(v.known, **sizes),
                **kinds(v.known),
            )
        )
    for build in (
        lambda: raw.BoostedTreesUpdateEnsemble(
            **handle, feature_ids=v.known(_integers(2)), **splits(v.known), pruning_mode=0
        ),
        lambda: raw.BoostedTreesUpdateEnsembleV2(
            **handle, feature_ids=[v.known(_integers(3))], **splits(v.known), **kinds(v.known)
        ),
        lambda: raw.BoostedTreesUpdateEnsembleV2(
            **handle, feature_ids=[v.known(_integers(2))], **splits(v.known), **kinds(v.known, 3)
        ),
        lambda: raw.BoostedTreesCenterBias(
            **handle,
            mean_gradients=v.known(_floats(1, 1)),
            mean_hessians=v.known(_floats(1, 2)),
            l1=0.0,
            l2=0.0,
        ),
    ):
        yield refused_alike(build)


def _predictions(tf: Any, v: Inputs) -> Iterator[Step]:
    raw, handle = tf.raw_ops, _handle(tf, v)

    def features(place: Callable[..., Any], size: int = 3) -> dict[str, Any]:
        return {"bucketized_features": [place(_integers(size)), place(_integers(3, 2))]}

    cached = {"cached_tree_ids": v.fed(_INTEGERS), "cached_node_ids": v.fed(_INTEGERS)}
    yield infers(
        raw.BoostedTreesPredict(**handle, **features(v.fed), logits_dimension=2),
        raw.BoostedTreesPredict(**handle, **features(v.fed), logits_dimension=-1),
        raw.BoostedTreesExampleDebugOutputs(**handle, **features(v.fed), logits_dimension=1),
        *raw.BoostedTreesTrainingPredict(**handle, **cached, **features(v.fed), logits_dimension=2),
    )
    deep = {"bucketized_features": [v.known(_integers(3, 1, 1))]}
    for op in (raw.BoostedTreesPredict, raw.BoostedTreesExampleDebugOutputs):
        for wrong in (deep, features(v.known, 4)):
            yield refused_alike(
                lambda op=op, wrong=wrong: op(**handle, **wrong, logits_dimension=1)
            )
    wrong = {"cached_tree_ids": v.known(_INTEGERS), "cached_node_ids": v.known(_integers(2))}
    yield refused_alike(
        lambda: raw.BoostedTreesTrainingPredict(
            **handle, **wrong, **features(v.known), logits_dimension=1
        )
    )


PROGRAMS = [
    Program(
        "BoostedTreesMakeStatsSummary BoostedTreesAggregateStats BoostedTreesSparseAggregateStats",
        _statistics,
        ("float32",),
    ),
    Program(
        "BoostedTreesCalculateBestGainsPerFeature BoostedTreesCalculateBestFeatureSplit"
        " BoostedTreesCalculateBestFeatureSplitV2 BoostedTreesSparseCalculateBestFeatureSplit",
        _splits,
        ("float32",),
    ),
    Program(
        "BoostedTreesUpdateEnsemble BoostedTreesUpdateEnsembleV2 BoostedTreesCenterBias",
        _growing,
        ("float32",),
    ),
    Program(
        "BoostedTreesPredict BoostedTreesExampleDebugOutputs BoostedTreesTrainingPredict",
        _predictions,
        ("float32",),
    ),
]
