"""Distribution: what all probability distributions have, and how they draw and tell densities."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.distributions import kullback_leibler
from dataflow.ops.basic.single import single
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


class ReparameterizationType:
    """Whether gradients by the parameters pass through samples."""

    def __init__(self, rep_type: str) -> None:
        """Takes the name."""
        self._rep_type = rep_type

    def __repr__(self) -> str:
        return f"<Reparameterization Type: {self._rep_type}>"

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__


FULLY_REPARAMETERIZED = ReparameterizationType("FULLY_REPARAMETERIZED")
NOT_REPARAMETERIZED = ReparameterizationType("NOT_REPARAMETERIZED")


def new_seed(seed: int | None, salt: str) -> int | None:
    """Another seed, of a seed and what it is for."""
    if seed is None:
        return None
    digest = hashlib.md5(f"{seed}{salt}".encode(), usedforsecurity=False).hexdigest()
    return int(digest[:8], 16) & 0x7FFFFFFF


class Distribution:
    """A batch of probability distributions of one family.

    Subclasses define what is private here by the same name with an underscore: `_log_prob`,
    `_sample_n`, `_mean` ... What is not defined is not implemented, or made of what is.
    """

    def __init__(
        self,
        dtype: Any,
        reparameterization_type: Any,
        validate_args: bool,
        allow_nan_stats: bool,
        parameters: Mapping[str, Any] | None = None,
        graph_parents: Sequence[Any] | None = None,
        name: str | None = None,
    ) -> None:
        """Makes one.

        Args:
          dtype: Element type of events.
          reparameterization_type: Whether gradients pass through samples.
          validate_args: Whether parameters and values are checked in the step.
          allow_nan_stats: Whether statistics that are not defined are NaN; else they fail.
          parameters: The arguments the subclass was made with.
          graph_parents: Tensors that it depends on.
          name: Name of the scope of its operations.

        Raises:
          ValueError: A graph parent is no tensor.
        """
        for index, parent in enumerate(graph_parents or ()):
            if not isinstance(parent, Tensor):
                raise ValueError(f"Graph parent item {index} is not a Tensor; {parent}.")
        if not name or name[-1] != "/":
            with name_scope(name or type(self).__name__) as scope:
                name = scope
        self._dtype = None if dtype is None else dtypes.as_dtype(dtype)
        self._reparameterization_type = reparameterization_type
        self._validate_args = validate_args
        self._allow_nan_stats = allow_nan_stats
        self._graph_parents = list(graph_parents or ())
        self._parameters = {
            key: value
            for key, value in (parameters or {}).items()
            if key not in ("self", "__class__") and not key.startswith("__")
        }
        self._name = name

    @classmethod
    def param_shapes(
        cls, sample_shape: Any, name: str = "DistributionParamShapes"
    ) -> dict[str, Any]:
        """The shapes of parameters with which `sample()` has a shape, as tensors by their names."""
        with name_scope(name, values=[sample_shape]):
            return cls._param_shapes(sample_shape)

    @classmethod
    def param_static_shapes(cls, sample_shape: Any) -> dict[str, TensorShape]:
        """Like `param_shapes`, as shapes.

        Raises:
          ValueError: The shape is not fully known.
        """
        shape = sample_shape
        if isinstance(shape, Tensor):
            known = constant_value(shape)
            if known is None:
                raise ValueError("sample_shape must be a fully defined TensorShape or constant")
            shape = known.tolist()
        shape = TensorShape(shape)
        if not shape.is_fully_defined():
            raise ValueError("TensorShape sample_shape must be fully defined")
        found = {}
        for key, value in cls.param_shapes(shape.as_list()).items():
            known = constant_value(convert_to_tensor(value))
            if known is None:
                raise ValueError("sample_shape must be a fully-defined TensorShape or constant")
            found[key] = TensorShape(known.tolist())
        return found

    @classmethod
    def _param_shapes(cls, sample_shape: Any) -> dict[str, Any]:
        raise NotImplementedError("_param_shapes not implemented")

    @property
    def name(self) -> str:
        """Name of the scope of its operations, with a slash."""
        return self._name

    @property
    def dtype(self) -> Any:
        """Element type of events."""
        return self._dtype

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments it was made with."""
        return dict(self._parameters)

    @property
    def reparameterization_type(self) -> Any:
        """Whether gradients by the parameters pass through samples."""
        return self._reparameterization_type

    @property
    def allow_nan_stats(self) -> bool:
        """Whether statistics that are not defined are NaN."""
        return self._allow_nan_stats

    @property
    def validate_args(self) -> bool:
        """Whether parameters and values are checked in the step."""
        return self._validate_args

    def copy(self, **override_parameters_kwargs: Any) -> Any:
        """Another one of the same class, some arguments of which differ."""
        accepted = inspect.signature(type(self).__init__).parameters
        own = {key: value for key, value in self.parameters.items() if key in accepted}
        return type(self)(**{**own, **override_parameters_kwargs})

    @property
    def batch_shape(self) -> TensorShape:
        """How many distributions there are, as far as it is known."""
        return TensorShape(self._batch_shape())

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """How many distributions there are, a vector."""
        with self._name_scope(name):
            if self.batch_shape.is_fully_defined():
                return _vector(self.batch_shape.as_list(), "batch_shape")
            found: Tensor = self._batch_shape_tensor()
            return found

    @property
    def event_shape(self) -> TensorShape:
        """The shape of what is drawn at once, as far as it is known."""
        return TensorShape(self._event_shape())

    def event_shape_tensor(self, name: str = "event_shape_tensor") -> Tensor:
        """The shape of what is drawn at once, a vector."""
        with self._name_scope(name):
            if self.event_shape.is_fully_defined():
                return _vector(self.event_shape.as_list(), "event_shape")
            found: Tensor = self._event_shape_tensor()
            return found

    def is_scalar_event(self, name: str = "is_scalar_event") -> Tensor:
        """Whether the event shape is []."""
        with self._name_scope(name):
            return _is_scalar(self.event_shape, self.event_shape_tensor)

    def is_scalar_batch(self, name: str = "is_scalar_batch") -> Tensor:
        """Whether the batch shape is []."""
        with self._name_scope(name):
            return _is_scalar(self.batch_shape, self.batch_shape_tensor)

    def sample(
        self, sample_shape: Any = (), seed: int | None = None, name: str = "sample"
    ) -> Tensor:
        """Draws: shape `sample_shape + batch_shape + event_shape`.

        Args:
          sample_shape: An integer, a list or a tensor.
          seed: Op-level seed; see `set_random_seed`.
          name: Name of the scope of the operations.
        """
        return self._call_sample_n(sample_shape, seed, name)

    def _call_sample_n(
        self, sample_shape: Any, seed: int | None, name: str, **conditions: Any
    ) -> Tensor:
        with self._name_scope(name, [sample_shape]):
            sizes = convert_to_tensor(sample_shape, dtype=dtypes.int32, name="sample_shape")
            if sizes.shape.rank == 0:
                sizes = array_shape.reshape(sizes, [1])
            count = reductions.reduce_prod(sizes)
            drawn: Any = self._sample_n(count, seed, **conditions)
            whole: Any = array_shape.shape(drawn)
            drawn = array_shape.reshape(drawn, array_concat.concat([sizes, whole[1:]], 0))
            known = constant_value(sizes)
            outer = TensorShape(None) if known is None else TensorShape(known.tolist())
            drawn.set_shape(outer.concatenate(self.batch_shape).concatenate(self.event_shape))
            result: Tensor = drawn
            return result

    def log_prob(self, value: Any, name: str = "log_prob") -> Tensor:
        """The logarithm of the density, or of the probability of discrete ones, at a value."""
        return self._of_value("log_prob", value, name, ("prob", math_unary.log))

    def prob(self, value: Any, name: str = "prob") -> Tensor:
        """The density, or the probability of discrete distributions, at a value."""
        return self._of_value("prob", value, name, ("log_prob", math_unary.exp))

    def log_cdf(self, value: Any, name: str = "log_cdf") -> Tensor:
        """The logarithm of the probability of what is not above a value."""
        return self._of_value("log_cdf", value, name, ("cdf", math_unary.log))

    def cdf(self, value: Any, name: str = "cdf") -> Tensor:
        """The probability of what is not above a value."""
        return self._of_value("cdf", value, name, ("log_cdf", math_unary.exp))

    def log_survival_function(self, value: Any, name: str = "log_survival_function") -> Tensor:
        """The logarithm of the probability of what is above a value."""
        return self._of_value(
            "log_survival_function", value, name, ("cdf", lambda p: math_unary.log1p(-p))
        )

    def survival_function(self, value: Any, name: str = "survival_function") -> Tensor:
        """The probability of what is above a value."""
        return self._of_value("survival_function", value, name, ("cdf", lambda p: 1.0 - p))

    def quantile(self, value: Any, name: str = "quantile") -> Tensor:
        """The value that is not exceeded with a probability."""
        return self._of_value("quantile", value, name, None)

    def entropy(self, name: str = "entropy") -> Tensor:
        """Shannon's entropy, in nats."""
        return self._statistic("entropy", name)

    def mean(self, name: str = "mean") -> Tensor:
        """The mean."""
        return self._statistic("mean", name)

    def variance(self, name: str = "variance") -> Tensor:
        """The variance."""
        return self._statistic("variance", name, ("stddev", math_unary.square))

    def stddev(self, name: str = "stddev") -> Tensor:
        """The standard deviation."""
        return self._statistic("stddev", name, ("variance", math_unary.sqrt))

    def covariance(self, name: str = "covariance") -> Tensor:
        """The covariances of the elements of events."""
        return self._statistic("covariance", name)

    def mode(self, name: str = "mode") -> Tensor:
        """Where the density is largest."""
        return self._statistic("mode", name)

    def cross_entropy(self, other: Any, name: str = "cross_entropy") -> Tensor:
        """The cross entropy with another distribution: the entropy and the divergence from it."""
        with self._name_scope(name):
            own: Any = self._entropy()
            result: Tensor = own + kullback_leibler.kl_divergence(self, other)
            return result

    def kl_divergence(self, other: Any, name: str = "kl_divergence") -> Tensor:
        """The divergence of Kullback and Leibler from another distribution."""
        with self._name_scope(name):
            return kullback_leibler.kl_divergence(
                self, other, allow_nan_stats=self._allow_nan_stats
            )

    def __str__(self) -> str:
        return (
            f'tfp.distributions.{type(self).__name__}("{self.name}", '
            f"batch_shape={self.batch_shape}, event_shape={self.event_shape}, "
            f"dtype={self.dtype.name})"
        )

    def __repr__(self) -> str:
        return (
            f"<tfp.distributions.{type(self).__name__} '{self.name}' "
            f"batch_shape={self.batch_shape} event_shape={self.event_shape} "
            f"dtype={self.dtype.name}>"
        )

    @contextlib.contextmanager
    def _name_scope(self, name: str, values: Sequence[Any] = ()) -> Iterator[str]:
        with name_scope(self.name), name_scope(name, values=[*values, *self._graph_parents]) as own:
            yield own

    def _of_value(
        self,
        what: str,
        value: Any,
        name: str,
        instead: tuple[str, Callable[..., Any]] | None,
        **conditions: Any,
    ) -> Tensor:
        with self._name_scope(name, [value]):
            value = convert_to_tensor(value, name="value", preferred_dtype=self._dtype)
            found: Tensor = self._first_of(what, (value,), instead, **conditions)
            return found

    def _statistic(
        self, what: str, name: str, instead: tuple[str, Callable[..., Any]] | None = None
    ) -> Tensor:
        with self._name_scope(name):
            found: Tensor = self._first_of(what, (), instead)
            return found

    def _first_of(
        self,
        what: str,
        args: tuple[Any, ...],
        instead: tuple[str, Callable[..., Any]] | None,
        **conditions: Any,
    ) -> Any:
        """What a method makes, or what can be made of another one.

        Raises:
          NotImplementedError: The class has neither.
        """
        own = getattr(self, f"_{what}", None)
        if own is not None:
            return own(*args, **conditions)
        if instead is not None:
            name, change = instead
            other = getattr(self, f"_{name}", None)
            if other is not None:
                return change(other(*args, **conditions))
            logarithm = getattr(self, f"_log_{name}", None)
            if logarithm is not None and what != f"log_{name}":
                return change(math_unary.exp(logarithm(*args, **conditions)))
        raise NotImplementedError(f"{what} is not implemented: {type(self).__name__}")

    def _batch_shape(self) -> Any:
        return TensorShape(None)

    def _event_shape(self) -> Any:
        return TensorShape(None)

    def _batch_shape_tensor(self) -> Any:
        raise NotImplementedError(f"batch_shape_tensor is not implemented: {type(self).__name__}")

    def _event_shape_tensor(self) -> Any:
        raise NotImplementedError(f"event_shape_tensor is not implemented: {type(self).__name__}")

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        raise NotImplementedError(f"sample_n is not implemented: {type(self).__name__}")

    def _entropy(self) -> Any:
        raise NotImplementedError(f"entropy is not implemented: {type(self).__name__}")


def _vector(sizes: Sequence[int | None], name: str) -> Tensor:
    found: Tensor = convert_to_tensor(list(sizes), dtype=dtypes.int32, name=name)
    return found


def _is_scalar(static: TensorShape, shape_tensor: Callable[[], Tensor]) -> Tensor:
    if static.rank is not None:
        return convert_to_tensor(static.rank == 0, name="is_scalar")
    return single("Equal", array_shape.size(shape_tensor()), 0)
