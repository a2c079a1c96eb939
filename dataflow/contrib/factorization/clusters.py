"""KMeans: the graph by which centers of clusters are found."""

from __future__ import annotations

from typing import Any

from dataflow.contrib.factorization.initial_centers import InitialCenters
from dataflow.contrib.factorization.names import (
    CLUSTERS_VAR_NAME,
    COSINE_DISTANCE,
    KMC2_INIT,
    KMEANS_PLUS_PLUS_INIT,
    RANDOM_INIT,
    SQUARED_EUCLIDEAN_DISTANCE,
    check_names,
)
from dataflow.control_flow.cond import cond
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import colocate_with, control_dependencies
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import ones, ones_like, zeros, zeros_like
from dataflow.ops.array.gather import gather
from dataflow.ops.array.shape import rank, reshape, shape, size, squeeze
from dataflow.ops.array.transpose import transpose
from dataflow.ops.array.unique import unique
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import identity, no_op
from dataflow.ops.linalg.clustering import nearest_neighbors
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.math.unary import reciprocal, square
from dataflow.ops.nn.moments import l2_normalize
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.ops.reductions.segment import unsorted_segment_sum
from dataflow.ops.reductions.sum import add_n
from dataflow.ops.state.reference import assign, assign_sub
from dataflow.ops.state.scatter import scatter_add
from dataflow.values import dtypes
from dataflow.variables.variable import Variable

_WAYS = (RANDOM_INIT, KMEANS_PLUS_PLUS_INIT, KMC2_INIT)


class KMeans:
    """The graph of k-means clustering: Lloyd's algorithm on all points, or on batches of them.

    With batches centers move by the mini-batch rule (Sculley, 2010). If these are several for one
    iteration, points are assigned to centers that stay where they are until its end.
    """

    def __init__(
        self,
        inputs: Any,
        num_clusters: Any,
        initial_clusters: Any = RANDOM_INIT,
        distance_metric: str = SQUARED_EUCLIDEAN_DISTANCE,
        use_mini_batch: bool = False,
        mini_batch_steps_per_iteration: int = 1,
        random_seed: int = 0,
        kmeans_plus_plus_num_retries: int = 2,
        kmc2_chain_length: int = 200,
    ) -> None:
        """Takes points.

        Args:
          inputs: The points as rows, or a list of parts of them, in random order.
          num_clusters: How many clusters; counts for nothing if centers are given.
          initial_clusters: Centers, a function of the list of inputs and how many are missing
            that gives as many or fewer, or "random", "kmeans_plus_plus" or "kmc2".
          distance_metric: "squared_euclidean" or "cosine".
          use_mini_batch: Whether a step sees some of the points only.
          mini_batch_steps_per_iteration: After how many steps centers move.
          random_seed: Of how it begins.
          kmeans_plus_plus_num_retries: How many more points are drawn for each of k-means++.
          kmc2_chain_length: Of how many points k-MC2 makes a center.

        Raises:
          ValueError: `initial_clusters` or `distance_metric` is the name of nothing.
        """
        check_names(initial_clusters, distance_metric, _WAYS)
        self._inputs = inputs if isinstance(inputs, list) else [inputs]
        self._num_clusters = num_clusters
        self._initial_clusters = initial_clusters
        self._distance_metric = distance_metric
        self._use_mini_batch = use_mini_batch
        self._mini_batch_steps_per_iteration = int(mini_batch_steps_per_iteration)
        self._random_seed = random_seed
        self._kmeans_plus_plus_num_retries = kmeans_plus_plus_num_retries
        self._kmc2_chain_length = kmc2_chain_length
        self._is_cosine = distance_metric == COSINE_DISTANCE
        self._moves_late = use_mini_batch and self._mini_batch_steps_per_iteration > 1
        self._stays_normalized = self._is_cosine and (not use_mini_batch or self._moves_late)

    def training_graph(self) -> tuple[Any, ...]:
        """Adds the graph.

        Returns:
          For each part of the inputs, three lists: the distances of points from all centers, the
          cluster of each point, its distance from that one's center. Then the variable that says
          whether there are all centers; the operation that adds some, which one worker runs until
          it does; and the operation of a step.
        """
        ways, count = self._initial_clusters, self._num_clusters
        if isinstance(ways, str) or callable(ways):
            count = convert_to_tensor(count)
        else:
            ways = convert_to_tensor(ways)
            count = shape(ways)[0]
        nothing = constant([], dtype=dtypes.float32)
        kept = Variable(nothing, name=CLUSTERS_VAR_NAME, validate_shape=False)
        is_complete = Variable(False, dtype=dtypes.bool, name="initialized")
        moved, steps_left, members = kept, None, None
        if self._moves_late:
            moved = Variable(nothing, name="clusters_updated", validate_shape=False)
            steps_left = Variable(
                self._mini_batch_steps_per_iteration, dtype=dtypes.int64, name="update_in_steps"
            )
            members = Variable(zeros([count], dtype=dtypes.int64))
        elif self._use_mini_batch:
            members = Variable(ones([count], dtype=dtypes.int64))
        begin = InitialCenters(
            self._inputs,
            count,
            ways,
            self._distance_metric,
            self._random_seed,
            self._kmeans_plus_plus_num_retries,
            self._kmc2_chain_length,
            kept,
            moved,
            is_complete,
        ).op()
        inputs = self._inputs
        centers: Any = kept
        if self._is_cosine:
            inputs = [_beside(part, lambda x: l2_normalize(x, axis=1)) for part in inputs]
            if not self._stays_normalized:
                centers = l2_normalize(kept, axis=1)
        scores = [_beside(part, lambda x: self._distances(x, centers)) for part in inputs]
        nearest = [_beside(part, lambda x: self._nearest(x, centers)) for part in inputs]
        places = [place for place, _ in nearest]
        if self._use_mini_batch:
            # A step takes its points to the centers from before it.
            with control_dependencies(places):
                over = self._moved_over(steps_left, kept, moved, members)
            with control_dependencies([over]):
                step = _learned(inputs, places, moved, members)
        else:
            step = self._means(inputs, places, count, kept)
        return scores, places, [distance for _, distance in nearest], is_complete, begin, step

    def _distances(self, points: Any, centers: Any) -> Any:
        products = matmul(points, centers, transpose_b=True)
        if self._is_cosine:
            return 1 - products
        own = reduce_sum(square(points), 1, keepdims=True)
        theirs = transpose(reduce_sum(square(centers), 1, keepdims=True))
        return own - 2 * products + theirs

    def _nearest(self, points: Any, centers: Any) -> tuple[Any, Any]:
        """The nearest center of each point, and its distance."""
        places, distances = nearest_neighbors(points, centers, 1)
        # The squared distance of normalized vectors is twice the cosine distance.
        scale = 0.5 if self._is_cosine else 1.0
        return squeeze(places, [-1]), squeeze(distances * scale, [-1])

    def _moved_over(self, steps_left: Any, kept: Any, moved: Any, members: Any) -> Any:
        """At the end of an iteration, centers become what its steps have made of them."""
        if not self._moves_late:
            return no_op()

        def move() -> Any:
            # The count begins first: so no other worker does the same.
            with control_dependencies(
                [assign(steps_left, self._mini_batch_steps_per_iteration - 1)]
            ):
                centers = l2_normalize(moved, axis=1) if self._is_cosine else moved
                with (
                    control_dependencies([assign(kept, centers)]),
                    control_dependencies([assign(members, zeros_like(members))]),
                ):
                    return identity(steps_left)

        return cond(steps_left <= 0, move, lambda: assign_sub(steps_left, 1))

    def _means(self, inputs: list[Any], places: list[Any], count: Any, centers: Any) -> Any:
        """Moves each center to the mean of its points."""
        sums = [
            unsorted_segment_sum(part, place, count)
            for part, place in zip(inputs, places, strict=True)
        ]
        counts = [
            unsorted_segment_sum(ones([shape(part)[0], 1]), place, count)
            for part, place in zip(inputs, places, strict=True)
        ]
        total = add_n(sums)
        means = total / (cast(add_n(counts), total.dtype) + constant(1e-6, dtype=total.dtype))
        return assign(centers, l2_normalize(means, axis=1) if self._stays_normalized else means)


def _beside(part: Any, make: Any) -> Any:
    """What a function makes of a part, on its device."""
    with colocate_with(part, ignore_existing=True):
        return make(part)


def _learned(inputs: list[Any], places: list[Any], centers: Any, members: Any) -> Any:
    """Moves centers towards the points of a batch.

    Of a center x that n points have made, k points of the sum s make x + (s - k x) / (n + k).
    """
    updates = []
    for part, place in zip(inputs, places, strict=True):
        touched, rows = unique(reshape(place, [-1]))
        count = size(touched)
        before, old = gather(members, touched), gather(centers, touched)
        more = unsorted_segment_sum(ones_like(rows, dtype=members.dtype), rows, count)
        total = unsorted_segment_sum(part, rows, count)
        wide = concat([reshape(count, [1]), ones(reshape(rank(part) - 1, [1]), dtypes.int32)], 0)
        step = total - cast(reshape(more, wide), part.dtype) * old
        step *= reshape(reciprocal(cast(before + more, part.dtype)), wide)
        # What was there before is read before it changes.
        with control_dependencies([step]):
            updates += [
                scatter_add(members, touched, more),
                scatter_add(centers, touched, step),
            ]
    return group(*updates)
