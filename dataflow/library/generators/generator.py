"""Generators of random numbers: objects whose state is a variable."""

from __future__ import annotations

from typing import Any, cast

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.binary as math_binary
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library.generators.state import create_rng_state, state_size, state_tensor
from dataflow.ops.array.bits import bitcast
from dataflow.ops.array.concat import concat, stack, unstack
from dataflow.ops.basic.cast import cast as cast_to
from dataflow.ops.basic.single import single
from dataflow.ops.random.seeded import algorithm_number
from dataflow.ops.reductions.reduce import reduce_prod
from dataflow.values import dtypes
from dataflow.variables.base import BaseVariable
from dataflow.variables.variable import Variable

_PHILOX = 1


class Generator:
    """Random numbers of a stream; each draw goes on where the last one ended.

    The state is a variable: sessions initialize it, and checkpoints keep it.
    """

    def __init__(self, copy_from: Any = None, state: Any = None, alg: Any = None) -> None:
        """Makes a generator.

        Args:
          copy_from: Another one, whose state and algorithm it starts with.
          state: A state, see `create_rng_state`, or a variable of one, which it shares.
          alg: The algorithm, by name or number, or an `Algorithm`.

        Raises:
          ValueError: There is no such algorithm, or its states have another size.
        """
        self._alg: int
        self._state: Any
        if copy_from is not None:
            assert alg is None and state is None
            self._alg = copy_from.algorithm
            self._state = _variable(copy_from.state)
            return
        assert alg is not None and state is not None
        self._alg = algorithm_number(alg)
        size = state_size(self._alg)
        if not isinstance(state, BaseVariable):
            state = state_tensor(state)
        state.shape.assert_is_compatible_with([size])
        self._state = state if isinstance(state, BaseVariable) else _variable(state)

    @classmethod
    def from_state(cls, state: Any, alg: Any) -> Generator:
        """A generator with a state, see `__init__`."""
        return cls(alg=alg, state=state)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """A generator with the state of a seed, see `create_rng_state`; Philox if `alg` is None."""
        number = _PHILOX if alg is None else algorithm_number(alg)
        return cls(state=create_rng_state(seed, number), alg=number)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """A generator with a state that nothing decides; Philox if `alg` is None."""
        number = _PHILOX if alg is None else algorithm_number(alg)
        state = single("NonDeterministicInts", [state_size(number)], dtype=dtypes.int64)
        return cls(state=state, alg=number)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> Generator:
        """A generator with a key, a scalar, and a place in the stream, a vector."""
        number = algorithm_number(alg)
        return cls(state=_joined(key, counter, number), alg=number)

    @property
    def state(self) -> Any:
        """The variable: a place in the stream, and behind it the key."""
        return self._state

    @property
    def algorithm(self) -> int:
        """The number of the algorithm."""
        return self._alg

    @property
    def key(self) -> Any:
        """The last word of the state."""
        return self._state[-1]

    def reset(self, state: Any) -> None:
        """Adds an operation that gives the generator a state."""
        value = state_tensor(state)
        value.shape.assert_is_compatible_with([state_size(self._alg)])
        self._state.assign(value)

    def reset_from_seed(self, seed: Any) -> None:
        """Adds an operation that gives the generator the state of a seed."""
        self._state.assign(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Adds an operation that gives the generator a key and a place in the stream."""
        self._state.assign(_joined(key, counter, self._alg))

    def skip(self, delta: Any) -> Tensor:
        """Takes the generator on by so many numbers; gives the state before."""
        return single(
            "RngReadAndSkip",
            self._state.handle,
            cast_to(self._alg, dtypes.int32),
            cast_to(delta, dtypes.uint64),
        )

    def _draw(self, op: str, shape: Any, *bounds: Any, **options: Any) -> Any:
        state: Any = self.skip(reduce_prod(shape))
        place = state_size(self._alg) - 1
        counter = bitcast(state[:place], dtypes.uint64)
        key = bitcast(state[place : place + 1], dtypes.uint64)
        return single(op, shape, key, counter, self._alg, *bounds, **options)

    def normal(
        self,
        shape: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: Any = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Numbers of a normal distribution, of that shape and floating type."""
        with scopes.name_scope(name, "stateful_normal", [shape, mean, stddev]) as own:
            sizes = _shape(shape)
            center: Any = convert_to_tensor(mean, dtype=dtype, name="mean")
            deviation: Any = convert_to_tensor(stddev, dtype=dtype, name="stddev")
            drawn = self._draw("StatelessRandomNormalV2", sizes, dtype=dtype)
            return math_binary.add(drawn * deviation, center, name=own)

    def truncated_normal(
        self,
        shape: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: Any = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Like `normal`, those more than two deviations away drawn again."""
        with scopes.name_scope(name, "truncated_normal", [shape, mean, stddev]) as own:
            sizes = _shape(shape)
            center: Any = convert_to_tensor(mean, dtype=dtype, name="mean")
            deviation: Any = convert_to_tensor(stddev, dtype=dtype, name="stddev")
            drawn = self._draw("StatelessTruncatedNormalV2", sizes, dtype=dtype)
            return math_binary.add(drawn * deviation, center, name=own)

    def uniform(
        self,
        shape: Any,
        minval: Any = 0,
        maxval: Any = None,
        dtype: Any = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Numbers spread evenly over [minval, maxval), or over all of an integer type.

        Args:
          shape: Of the result.
          minval: Least value; None, with `maxval` None, for all integers of the type.
          maxval: Bound above; None for 1, of floating types.
          dtype: Of the result.
          name: Name of the operation.

        Raises:
          ValueError: One of the bounds of integers is None.
        """
        dtype = dtypes.as_dtype(dtype)
        if dtype.is_integer and (minval is None) != (maxval is None):
            raise ValueError(
                f"For integer dtype {dtype}, minval and maxval must be both `None` or both "
                f"non-`None`; got minval={minval} and maxval={maxval}"
            )
        if not dtype.is_integer and maxval is None:
            maxval = 1
        with scopes.name_scope(name, "stateful_uniform", [shape, minval, maxval]) as own:
            sizes = _shape(shape)
            if dtype.is_integer and minval is None:
                full: Tensor = self._draw(
                    "StatelessRandomUniformFullIntV2", sizes, dtype=dtype, name=own
                )
                return full
            low: Any = convert_to_tensor(minval, dtype=dtype, name="min")
            high: Any = convert_to_tensor(maxval, dtype=dtype, name="max")
            if dtype.is_integer:
                whole: Tensor = self._draw(
                    "StatelessRandomUniformIntV2", sizes, low, high, name=own
                )
                return whole
            drawn = self._draw("StatelessRandomUniformV2", sizes, dtype=dtype)
            return math_binary.add(drawn * (high - low), low, name=own)

    def uniform_full_int(
        self, shape: Any, dtype: Any = dtypes.uint64, name: str | None = None
    ) -> Tensor:
        """Integers spread evenly over all of a type."""
        with scopes.name_scope(name, "stateful_uniform_full_int", [shape]) as own:
            sizes, kind = _shape(shape), dtypes.as_dtype(dtype)
            return cast(
                Tensor,
                self._draw("StatelessRandomUniformFullIntV2", sizes, dtype=kind, name=own),
            )

    def binomial(
        self,
        shape: Any,
        counts: Any,
        probs: Any,
        dtype: Any = dtypes.int32,
        name: str | None = None,
    ) -> Tensor:
        """Numbers of binomial distributions, see `tf.random.stateless_binomial`."""
        with scopes.name_scope(name, "binomial", [shape, counts, probs]) as own:
            return single(
                "StatefulRandomBinomial",
                self._state.handle,
                self._alg,
                _shape(shape),
                convert_to_tensor(counts, name="counts"),
                convert_to_tensor(probs, name="probs"),
                dtype=dtype,
                name=own,
            )

    def make_seeds(self, count: int = 1) -> Tensor:
        """Seeds for stateless ops: int64 of shape [2, count]."""
        keys = self.uniform_full_int([count], dtypes.int64)
        return stack([keys, array_fill.zeros_like(keys)])

    def split(self, count: int = 1) -> list[Generator]:
        """So many generators, whose streams have nothing to do with each other or with this one."""
        keys = unstack(self.uniform_full_int([count], dtypes.int64), num=count)
        front = [0] * (state_size(self._alg) - 1)
        return [Generator(state=[*front, key], alg=self._alg) for key in keys]


def _variable(state: Any) -> Any:
    with scopes.name_scope("random_generator"):
        return Variable(
            state, dtype=dtypes.int64, trainable=False, name="StateVar", use_resource=True
        )


def _joined(key: Any, counter: Any, algorithm: int) -> Any:
    place, word = state_tensor(counter), state_tensor(key)
    place.shape.assert_is_compatible_with([state_size(algorithm) - 1])
    word.shape.assert_is_compatible_with([])
    return concat([place, array_shape.reshape(word, [1])], 0)


def _shape(shape: Any) -> Tensor:
    is_empty = isinstance(shape, (tuple, list)) and not shape
    return convert_to_tensor(shape, dtype=dtypes.int64 if is_empty else None, name="shape")
