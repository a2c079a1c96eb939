"""The Bernoulli and the categorical distribution."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
import dataflow.ops.nn.activation as activation
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.distributions.base import NOT_REPARAMETERIZED, Distribution
from dataflow.library.distributions.checks import embed_check_integer_casting_closed
from dataflow.library.distributions.kullback_leibler import RegisterKL
from dataflow.library.distributions.logits import logits_and_probs
from dataflow.library.distributions.shapes import Broadcast
from dataflow.ops.array.select import one_hot, where_v2
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.single import single
from dataflow.ops.math.compare import greater, less
from dataflow.ops.nn.softmax import log_softmax, softmax
from dataflow.ops.random.stateful import multinomial, random_uniform
from dataflow.ops.reductions.arg import argmax
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


class Bernoulli(Broadcast):
    """The distribution of 0 and 1."""

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Bernoulli",
    ) -> None:
        """Takes the logits or the probabilities of 1, and the type of events."""
        parameters = dict(locals())
        with name_scope(name) as scope:
            self._logits, self._probs = logits_and_probs(logits, probs, validate_args, scope)
        super().__init__(
            dtype=dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._logits, self._probs],
            name=scope,
        )

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        return {"logits": convert_to_tensor(sample_shape, dtype=dtypes.int32)}

    @property
    def logits(self) -> Any:
        """The logits of 1."""
        return self._logits

    @property
    def probs(self) -> Any:
        """The probabilities of 1."""
        return self._probs

    def _arguments(self) -> tuple[Any, ...]:
        return (self._logits,)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        drawn = random_uniform(self._draws(n), seed=seed, dtype=self.probs.dtype)
        return cast(less(drawn, self.probs), self.dtype)

    def _log_prob(self, event: Any) -> Any:
        if self.validate_args:
            event = embed_check_integer_casting_closed(event, target_dtype=dtypes.bool)
        event = cast(event, self.logits.dtype)
        logits: Any = self.logits
        # As the loss of logits has it: x - x z + log(1 + exp(-x)), without overflow.
        wide: Any = logits + 0.0 * event
        rest = math_unary.log1p(math_unary.exp(-math_unary.abs(wide)))
        return -(activation.relu(wide) - wide * event + rest)

    def _entropy(self) -> Any:
        logits: Any = self.logits
        return -logits * (self.probs - 1.0) + activation.softplus(-logits)

    def _mean(self) -> Any:
        return self.probs

    def _variance(self) -> Any:
        return self.probs * (1.0 - self.probs)

    def _mode(self) -> Any:
        return cast(greater(self.probs, 0.5), self.dtype)


@RegisterKL(Bernoulli, Bernoulli)
def _kl_bernoulli_bernoulli(a: Any, b: Any, name: str | None = None) -> Any:
    with name_scope(name, "kl_bernoulli_bernoulli", [a.logits, b.logits]):
        delta_1: Any = activation.softplus(-b.logits)
        delta_1 = delta_1 - activation.softplus(-a.logits)
        delta_0: Any = activation.softplus(b.logits)
        delta_0 = delta_0 - activation.softplus(a.logits)
        return a.probs * delta_1 + (1.0 - a.probs) * delta_0


class Categorical(Distribution):
    """The distribution of classes, from 0 on."""

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Categorical",
    ) -> None:
        """Takes the logits or the probabilities of classes, and the type of events."""
        parameters = dict(locals())
        with name_scope(name, values=[logits, probs]) as scope:
            self._logits, self._probs = logits_and_probs(
                logits, probs, validate_args, scope, multidimensional=True
            )
            shape = self._logits.shape.with_rank_at_least(1)
            if shape.rank is not None and shape.as_list()[-1] is not None:
                self._event_size = convert_to_tensor(
                    shape.as_list()[-1], dtype=dtypes.int32, name="event_size"
                )
            else:
                sizes: Any = array_shape.shape(self._logits, name="logits_shape")
                self._event_size = sizes[-1]
        super().__init__(
            dtype=dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._logits, self._probs],
            name=scope,
        )

    @property
    def event_size(self) -> Any:
        """How many classes there are, a scalar."""
        return self._event_size

    @property
    def logits(self) -> Any:
        """The logits of the classes."""
        return self._logits

    @property
    def probs(self) -> Any:
        """The probabilities of the classes."""
        return self._probs

    def _batch_shape(self) -> Any:
        return self.logits.shape[:-1]

    def _batch_shape_tensor(self) -> Any:
        sizes: Any = array_shape.shape(self.logits)
        return sizes[:-1]

    def _event_shape(self) -> Any:
        return TensorShape([])

    def _event_shape_tensor(self) -> Any:
        return convert_to_tensor([], dtype=dtypes.int32)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        rows = array_shape.reshape(self.logits, array_concat.stack([-1, self.event_size]))
        kind = dtypes.int64 if self.dtype.size > 4 else dtypes.int32
        drawn = multinomial(rows, n, seed=seed, output_dtype=kind)
        shape = array_concat.concat([[n], self.batch_shape_tensor()], 0)
        return cast(array_shape.reshape(transpose(drawn), shape), self.dtype)

    def _chosen(self, k: Any, values: Any) -> Any:
        """The values of classes, where classes and parameters broadcast."""
        places = cast(k, dtypes.int32)
        hot: Any = one_hot(places, self.event_size, dtype=values.dtype)
        # A class of probability zero must not turn others into NaN.
        return reduce_sum(where_v2(hot > 0.0, values + 0.0 * hot, 0.0 * hot), -1)

    def _checked(self, k: Any) -> Any:
        k = convert_to_tensor(k, name="k")
        if not self.validate_args:
            return k
        return embed_check_integer_casting_closed(k, target_dtype=dtypes.int32)

    def _log_prob(self, k: Any) -> Any:
        k = self._checked(k)
        return self._chosen(k, log_softmax(self.logits))

    def _cdf(self, k: Any) -> Any:
        places: Any = array_shape.expand_dims(cast(self._checked(k), dtypes.int32), -1)
        classes = single("Range", 0, self.event_size, 1)
        counted: Any = cast(less(classes, places), self.probs.dtype)
        return reduce_sum(self.probs * counted, -1)

    def _entropy(self) -> Any:
        logs: Any = log_softmax(self.logits)
        return -reduce_sum(logs * self.probs, -1)

    def _mode(self) -> Any:
        found = cast(argmax(self.logits, axis=-1), self.dtype)
        found.set_shape(self.batch_shape)
        return found


@RegisterKL(Categorical, Categorical)
def _kl_categorical_categorical(a: Any, b: Any, name: str | None = None) -> Any:
    with name_scope(name, "kl_categorical_categorical", [a.logits, b.logits]):
        difference: Any = log_softmax(a.logits)
        difference = difference - log_softmax(b.logits)
        weights: Any = softmax(a.logits)
        return reduce_sum(weights * difference, -1)
