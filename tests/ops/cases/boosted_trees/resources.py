"""Rows for ensembles and streams of quantiles: what is known of them while building."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.program import Inputs, Program, Step, infers, refused_alike

_FLOATS = np.ones(3, np.float32)


def _ensembles(tf: Any, v: Inputs) -> Iterator[Step]:
    raw = tf.raw_ops
    handle = raw.BoostedTreesEnsembleResourceHandleOp(shared_name=f"rows_ensemble_{v.name}")
    given = {"stamp_token": v.fed(np.int64(1)), "tree_ensemble_serialized": v.fed(b"", object)}
    created = raw.BoostedTreesCreateEnsemble(tree_ensemble_handle=handle, **given)
    replaced = raw.BoostedTreesDeserializeEnsemble(tree_ensemble_handle=handle, **given)
    is_there = raw.IsBoostedTreesEnsembleInitialized(tree_ensemble_handle=handle)
    states = raw.BoostedTreesGetEnsembleStates(tree_ensemble_handle=handle)
    serialized = raw.BoostedTreesSerializeEnsemble(tree_ensemble_handle=handle)
    yield infers(handle, is_there, *states, *serialized, created, replaced)
    two = tf.placeholder(tf.resource, [2])
    for op in ("GetEnsembleStates", "SerializeEnsemble"):
        made = getattr(raw, f"BoostedTrees{op}")
        yield refused_alike(lambda made=made: made(tree_ensemble_handle=two))
    wrong = {
        "stamp_token": v.known(np.ones(2, np.int64)),
        "tree_ensemble_serialized": v.known(b"", object),
    }
    yield refused_alike(
        lambda: raw.BoostedTreesCreateEnsemble(tree_ensemble_handle=handle, **wrong)
    )


def _streams(tf: Any, v: Inputs) -> Iterator[Step]:
    raw = tf.raw_ops
    made = raw.BoostedTreesQuantileStreamResourceHandleOp(shared_name=f"rows_streams_{v.name}")
    handle = {"quantile_stream_resource_handle": made}
    created = raw.BoostedTreesCreateQuantileStreamResource(
        **handle, epsilon=v.fed(np.float32(0.1)), num_streams=v.fed(np.int64(2))
    )
    is_there = raw.IsBoostedTreesQuantileStreamResourceInitialized(**handle)
    summaries = raw.BoostedTreesMakeQuantileSummaries(
        float_values=[v.fed(_FLOATS), v.fed(_FLOATS)],
        example_weights=v.fed(_FLOATS),
        epsilon=v.fed(np.float32(0.1)),
    )
    added = raw.BoostedTreesQuantileStreamResourceAddSummaries(**handle, summaries=summaries)
    taken = raw.BoostedTreesFlushQuantileSummaries(**handle, num_features=2)
    flushed = raw.BoostedTreesQuantileStreamResourceFlush(
        **handle, num_buckets=v.fed(np.int64(3)), generate_quantiles=True
    )
    found = raw.BoostedTreesQuantileStreamResourceGetBucketBoundaries(**handle, num_features=2)
    restored = raw.BoostedTreesQuantileStreamResourceDeserialize(
        **handle, bucket_boundaries=[v.hidden(_FLOATS), v.hidden(_FLOATS)]
    )
    buckets = raw.BoostedTreesBucketize(
        float_values=[v.fed(_FLOATS), v.fed(_FLOATS)], bucket_boundaries=found
    )
    yield infers(made, is_there, *summaries, *taken, *found, *buckets)
    yield infers(created, added, flushed, restored)
    matrix = v.known(np.ones((3, 2), np.float32))
    row = v.known(_FLOATS)
    for build in (
        lambda: raw.BoostedTreesMakeQuantileSummaries(
            float_values=[matrix], example_weights=row, epsilon=0.1
        ),
        lambda: raw.BoostedTreesMakeQuantileSummaries(
            float_values=[row], example_weights=matrix, epsilon=0.1
        ),
        lambda: raw.BoostedTreesQuantileStreamResourceAddSummaries(**handle, summaries=[row]),
        lambda: raw.BoostedTreesQuantileStreamResourceFlush(**handle, num_buckets=[3]),
        lambda: raw.BoostedTreesQuantileStreamResourceDeserialize(
            **handle, bucket_boundaries=[row]
        ),
        lambda: raw.BoostedTreesBucketize(float_values=[row, matrix], bucket_boundaries=[row, row]),
        lambda: raw.BoostedTreesBucketize(
            float_values=[row, v.known(np.ones(2, np.float32))], bucket_boundaries=[row, row]
        ),
    ):
        yield refused_alike(build)


PROGRAMS = [
    Program(
        "BoostedTreesEnsembleResourceHandleOp BoostedTreesCreateEnsemble"
        " BoostedTreesDeserializeEnsemble IsBoostedTreesEnsembleInitialized"
        " BoostedTreesGetEnsembleStates BoostedTreesSerializeEnsemble",
        _ensembles,
        ("float32",),
    ),
    Program(
        "BoostedTreesQuantileStreamResourceHandleOp BoostedTreesCreateQuantileStreamResource"
        " IsBoostedTreesQuantileStreamResourceInitialized BoostedTreesMakeQuantileSummaries"
        " BoostedTreesQuantileStreamResourceAddSummaries BoostedTreesFlushQuantileSummaries"
        " BoostedTreesQuantileStreamResourceFlush"
        " BoostedTreesQuantileStreamResourceGetBucketBoundaries"
        " BoostedTreesQuantileStreamResourceDeserialize BoostedTreesBucketize",
        _streams,
        ("float32",),
    ),
]
