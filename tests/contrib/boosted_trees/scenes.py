"""Scenes that TensorFlow 1.15 has played, too: ops of tf.contrib.boosted_trees on drawn inputs.

Each gives all that came out. A test compares digests with those that 1.15's answers have.
"""

import hashlib

import numpy as np

LIMITS = {"l1_regularization": 0.05, "l2_regularization": 0.3, "min_node_weight": 0.2}


class Player:
    """Calls ops by their names, in a session of either library."""

    def __init__(self, tf, op, session):
        """Takes the library, what makes an op of a name and arguments, and a session."""
        self._tf, self._op, self._session, self._made = tf, op, session, {}
        self.handles = {}

    def handle(self, name, kind):
        """A handle that `kind` makes, which later calls know by its name."""
        self.handles[name] = self._op(kind, container="", shared_name=name)
        return name

    def __call__(self, name, attrs=None, **inputs):
        """The outputs of an op, lists flattened; handles are given by name."""
        key = (
            name,
            repr(sorted((attrs or {}).items())),
            repr(
                [
                    (
                        k,
                        v
                        if isinstance(v, str)
                        else np.shape(v)
                        if not isinstance(v, list)
                        else [x if isinstance(x, str) else np.ndim(x) for x in v],
                    )
                    for k, v in sorted(inputs.items())
                ]
            ),
        )
        if key not in self._made:
            self._made[key] = self._build(name, attrs or {}, inputs)
        places, fetches = self._made[key]
        feeds = {}
        for argument, value in inputs.items():
            for place, each in zip(
                places[argument], value if isinstance(value, list) else [value], strict=False
            ):
                if place is not None:
                    feeds[place] = each
        return self._session.run(fetches, feeds) or []

    def _build(self, name, attrs, inputs):
        places, given = {}, dict(attrs)
        for argument, value in inputs.items():
            made = []
            listed = value if isinstance(value, list) else [value]
            places[argument] = [None if isinstance(x, str) else self._place(x) for x in listed]
            for place, each in zip(places[argument], listed, strict=False):
                made.append(self.handles[each] if place is None else place)
            given[argument] = made if isinstance(value, list) else made[0]
        made = self._op(name, **given)
        if made is None or isinstance(made, self._tf.Operation):
            return places, [made] if made is None else made
        flat = []
        for each in made if isinstance(made, (tuple, list)) else [made]:
            flat += list(each) if isinstance(each, (tuple, list)) else [each]
        return places, flat

    def _place(self, value):
        array = np.asarray(value)
        kind = self._tf.string if array.dtype.kind in "OSU" else self._tf.as_dtype(array.dtype)
        return self._tf.placeholder(kind, [None] * array.ndim)


def digest(values):
    """A digest of arrays and strings: of their types, shapes and bytes."""
    found = hashlib.sha256()
    for value in values:
        array = np.asarray(value)
        if array.dtype.kind in "OS":
            for each in array.ravel().tolist():
                found.update(each if isinstance(each, bytes) else each.encode("latin1"))
        else:
            found.update((f"{array.dtype.name} {array.shape}").encode())
            found.update((np.ascontiguousarray(array) + 0).tobytes())
    return found.hexdigest()[:16]


def long(value):
    """An int64 scalar."""
    return np.int64(value)


def statistics(play, gradient, hessian):
    """Sums of gradients and hessians of these shapes."""
    draw, count = np.random.RandomState(1), 300
    kind = "Tensor" if gradient else "Scalar"
    rows = {
        "partition_ids": draw.randint(0, 4, count).astype(np.int32),
        "feature_ids": np.stack([draw.randint(-1, 9, count), draw.randint(0, 2, count)], 1).astype(
            np.int64
        ),
        "gradients": draw.randn(count, *gradient).astype(np.float32),
        "hessians": draw.rand(count, *hessian).astype(np.float32),
    }
    if not gradient:
        rows["gradients"], rows["hessians"] = (
            np.reshape(rows[k], -1) for k in ("gradients", "hessians")
        )
    found = list(play(f"StatsAccumulator{kind}MakeSummary", **rows))
    held = {
        "stats_accumulator_handle": play.handle("sums", f"StatsAccumulator{kind}ResourceHandleOp")
    }
    found += play(f"StatsAccumulator{kind}IsInitialized", **held)
    shapes = {}
    if gradient:
        shapes = {
            "per_slot_gradient_shape": np.array(gradient, np.int64),
            "per_slot_hessian_shape": np.array(hessian, np.int64),
        }
    play(f"CreateStatsAccumulator{kind}", stamp_token=long(0), **dict(held, **shapes))
    found += play(f"StatsAccumulator{kind}IsInitialized", **held)

    def add(stamp):
        lists = {name: [value] for name, value in rows.items()}
        play(
            f"StatsAccumulator{kind}Add",
            stats_accumulator_handles=["sums"],
            stamp_token=long(stamp),
            **lists,
        )

    add(0)
    add(0)
    add(7)
    found += play(f"StatsAccumulator{kind}Serialize", **held)
    found += play(
        f"StatsAccumulator{kind}Flush", stamp_token=long(0), next_stamp_token=long(1), **held
    )
    add(0)
    found += play(f"StatsAccumulator{kind}Serialize", **held)
    play(
        f"StatsAccumulator{kind}Deserialize",
        stamp_token=long(5),
        num_updates=long(7),
        **dict(held, **rows),
    )
    return found + list(play(f"StatsAccumulator{kind}Serialize", **held))


def quantiles(play, error, count, exact, config):
    """Boundaries of buckets, of values whose summaries are exact in float32."""
    draw, size = np.random.RandomState(2), 700
    held = {"quantile_accumulator_handle": play.handle("stream", "QuantileStreamResourceHandleOp")}
    both = {"quantile_accumulator_handles": ["stream"]}
    found = list(play("QuantileAccumulatorIsInitialized", **held))
    play(
        "CreateQuantileAccumulator",
        {
            "epsilon": error,
            "num_quantiles": count,
            "generate_quantiles": exact,
            "container": "",
            "shared_name": "",
            "max_elements": 1 << 30,
        },
        stamp_token=long(0),
        **held,
    )
    for step in range(4):
        column = draw.randint(0, 30 if step % 2 else 4000, (size, 1)).astype(np.float32)
        weights = draw.randint(1, 9, (size, 1)).astype(np.float32)
        part = np.sort(draw.choice(size, size // 3, False))
        indices = np.stack([part, draw.randint(0, 2, len(part))], 1).astype(np.int64)
        batch = {
            "dense_float_features": [column],
            "sparse_float_feature_indices": [indices],
            "sparse_float_feature_values": [column[: len(part), 0]],
            "sparse_float_feature_shapes": [np.array([size, 2], np.int64)],
            "example_weights": weights,
        }
        summaries = play("MakeQuantileSummaries", {"epsilon": error / 2}, **batch)
        found += summaries
        for summary in summaries:
            play(
                "QuantileAccumulatorAddSummaries",
                stamp_token=long(0),
                summaries=[np.array(summary, object)],
                **both,
            )
    state = play("QuantileAccumulatorSerialize", **held)
    found += state
    play("QuantileAccumulatorFlush", stamp_token=long(0), next_stamp_token=long(1), **held)
    ready, buckets = play("QuantileAccumulatorGetBuckets", stamp_token=long(1), **both)
    found += [ready, buckets]
    found += play("QuantileAccumulatorGetBuckets", stamp_token=long(0), **both)
    play(
        "QuantileAccumulatorDeserialize",
        stamp_token=np.array([3], np.int64),
        stream_state=np.array([state[1]], object),
        are_buckets_ready=np.array([True]),
        buckets=buckets[:3],
        **held,
    )
    found += play("QuantileAccumulatorSerialize", **held)
    found += play(
        "QuantileAccumulatorFlushSummary", stamp_token=long(3), next_stamp_token=long(4), **held
    )
    found += play(
        "Quantiles",
        dense_values=[column],
        sparse_values=[column[: len(part), 0]],
        dense_buckets=[buckets],
        sparse_buckets=[buckets[:5]],
        sparse_indices=[indices],
    )
    found += play("QuantileBuckets", {"dense_config": [config], "sparse_config": [config]}, **batch)
    return found + list(play("BucketizeWithInputBoundaries", input=column, boundaries=buckets))


def _sums(draw, count, gradient, hessian):
    slopes = draw.randn(count, *gradient).astype(np.float32).reshape((count, *gradient))
    bends = (draw.rand(count, *hessian) + 0.05).astype(np.float32).reshape((count, *hessian))
    if len(hessian) == 2:
        bends = (bends + np.swapaxes(bends, 1, 2)) / 2 + 2 * np.eye(hessian[0], dtype=np.float32)
    return slopes, bends


def splits(play, kind, strategy, learner, class_id, gradient, hessian, seed=3):
    """The best splits of nodes by a feature: dense, sparse or categorical."""
    draw = np.random.RandomState(seed)
    limits = {name: np.float32(value) for name, value in LIMITS.items()}
    common = dict(
        limits,
        tree_complexity_regularization=np.float32(0.01),
        num_minibatches=long(3),
        class_id=np.int32(class_id),
        feature_column_group_id=np.int32(4),
        multiclass_strategy=np.int32(strategy),
    )
    boundaries = np.sort(draw.randn(12)).astype(np.float32)
    nodes, ids, slopes, bends = [], [], [], []
    for node in (0, 2, 3, 7):
        if kind == "dense":
            rows = [(b, 0) for b in np.sort(draw.choice(12, draw.randint(2, 10), False))]
            own = _sums(draw, len(rows), gradient, hessian)
        else:
            rows = []
            for dimension in range(3 if kind == "sparse" else 1):
                rows += [
                    (b, dimension) for b in np.sort(draw.choice(12, draw.randint(1, 8), False))
                ]
            if node == 2 and not learner:
                rows = []
            own = _sums(draw, len(rows), gradient, hessian)
            whole = _sums(draw, 1, gradient, hessian)
            own = [
                np.concatenate([(w + o.sum(0)).astype(np.float32), o])
                for w, o in zip(whole, own, strict=False)
            ]
            rows = [(-1, 0), *rows]
        nodes += [node] * len(rows)
        ids += rows
        slopes.append(own[0])
        bends.append(own[1])
    inputs = dict(
        common,
        partition_ids=np.array(nodes, np.int32),
        gradients=np.concatenate(slopes),
        hessians=np.concatenate(bends),
    )
    ids = np.array(ids, np.int64)
    if kind == "dense":
        return play(
            "BuildDenseInequalitySplits",
            bucket_ids=ids,
            bucket_boundaries=boundaries,
            weak_learner_type=np.int32(learner),
            **inputs,
        )
    if kind == "sparse":
        return play(
            "BuildSparseInequalitySplits",
            bucket_ids=ids,
            bucket_boundaries=boundaries,
            bias_feature_id=long(-1),
            **inputs,
        )
    return play(
        "BuildCategoricalEqualitySplits",
        feature_ids=ids,
        bias_feature_id=long(-1),
        weak_learner_type=np.int32(learner),
        **inputs,
    )
