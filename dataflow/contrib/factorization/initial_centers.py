"""The centers with which k-means clustering begins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dataflow.contrib.factorization.names import (
    COSINE_DISTANCE,
    KMC2_INIT,
    RANDOM_INIT,
)
from dataflow.control_flow.cond import cond
from dataflow.control_flow.while_loop import while_loop
from dataflow.graph.scopes import control_dependencies
from dataflow.library.check_values import assert_equal, assert_greater_equal, assert_positive
from dataflow.library.embedding import embedding_lookup
from dataflow.ops.array.concat import concat
from dataflow.ops.array.shape import reshape, shape, squeeze
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import no_op
from dataflow.ops.linalg.clustering import kmc2_chain, kmeans_plus_plus, nearest_neighbors
from dataflow.ops.math.binary import maximum, minimum
from dataflow.ops.math.compare import equal, less
from dataflow.ops.nn.moments import l2_normalize
from dataflow.ops.random.stateful import random_uniform
from dataflow.ops.reductions.sum import add_n
from dataflow.ops.state.reference import assign
from dataflow.values import dtypes


@dataclass(frozen=True, eq=False)
class InitialCenters:
    """Chooses centers of the points of a batch, and of following ones, until there are enough."""

    inputs: list[Any]
    """The points, in several parts maybe."""
    num_clusters: Any
    ways: Any
    """Centers, a function of points and how many are missing, or the name of a way."""
    distance_metric: str
    random_seed: int
    retries: int
    chain_length: int
    centers: Any
    """The variable of the centers that there are,"""
    updated: Any
    """the one that steps change, which may be the same,"""
    is_complete: Any
    """and the one that says whether all are there."""

    def op(self) -> Any:
        """What is to be run until all are there."""
        there = shape(self.centers)[0]
        missing = self.num_clusters - there
        return cond(
            equal(missing, 0),
            lambda: assert_equal(self.is_complete, True),
            lambda: self._begin(there, missing),
        )

    def _begin(self, there: Any, missing: Any) -> Any:
        with control_dependencies([assert_positive(missing)]):
            add = self._add_by_chains if _is(self.ways, KMC2_INIT) else self._add
            return cond(
                equal(add(there, missing), 0),
                lambda: assign(self.is_complete, True),
                no_op,
            )

    def _add(self, there: Any, missing: Any) -> Any:
        """Adds centers of this batch; gives how many are missing then."""
        found = self._normalized(self._chosen(missing))
        # No centers have no width that others could be appended to.
        return self._set(
            cond(equal(there, 0), lambda: found, lambda: concat([self.centers, found], 0))
        )

    def _set(self, centers: Any) -> Any:
        made = assign(self.centers, centers, validate_shape=False)
        if self.updated is not self.centers:
            made = assign(self.updated, made, validate_shape=False)
        return self.num_clusters - shape(made)[0]

    def _normalized(self, points: Any) -> Any:
        return l2_normalize(points, axis=1) if self.distance_metric == COSINE_DISTANCE else points

    def _chosen(self, missing: Any) -> Any:
        if callable(self.ways):
            return self.ways(self.inputs, missing)
        if not isinstance(self.ways, str):
            with control_dependencies([assert_equal(missing, shape(self.ways)[0])]):
                return self.ways
        count = add_n([shape(part)[0] for part in self.inputs])
        if self.ways == RANDOM_INIT:
            return cond(
                count <= missing,
                lambda: concat(self.inputs, 0),
                self._by_chance(count, missing),
            )
        with control_dependencies([assert_greater_equal(count, missing)]):
            return kmeans_plus_plus(
                self._normalized(self.inputs[0]),
                cast(missing, dtypes.int64),
                self.random_seed,
                self.retries,
            )

    def _by_chance(self, count: Any, missing: Any) -> Callable[[], Any]:
        def draw() -> Any:
            places = random_uniform(
                reshape(missing, [-1]),
                minval=0,
                maxval=cast(count, dtypes.int64),
                seed=self.random_seed,
                dtype=dtypes.int64,
            )
            return embedding_lookup(self.inputs, places, partition_strategy="div")

        return draw

    def _add_by_chains(self, there: Any, missing: Any) -> Any:
        """Adds a center of each stretch of the batch, by a Markov chain, of k-MC2."""
        points, length = self.inputs[0], self.chain_length
        stretches = cast(shape(points)[0] / length, dtypes.int32)
        wanted = maximum(minimum(missing, stretches), 1)

        def chained(place: Any) -> Any:
            begin = place * length
            stretch = points[begin : begin + length]
            _, distances = nearest_neighbors(stretch, self.centers, 1)
            chosen = stretch[kmc2_chain(squeeze(distances), self.random_seed)]
            return concat([self.centers, self._normalized(reshape(chosen, [1, -1]))], 0)

        def add_one(place: Any, _: Any) -> tuple[Any, Any]:
            centers = cond(
                equal(there, 0),
                lambda: self._normalized(reshape(points[0], [1, -1])),
                lambda: chained(place),
            )
            return place + 1, self._set(centers)

        return while_loop(lambda place, _: less(place, wanted), add_one, [0, 0])[1]


def _is(ways: Any, name: str) -> bool:
    return isinstance(ways, str) and ways == name
