"""Distributions of vectors that are nearly one-hot, and of numbers that are nearly 0 or 1."""

from __future__ import annotations

from typing import Any

from dataflow.contrib.distributions.bijectors.elementwise import Exp, Sigmoid
from dataflow.contrib.distributions.checks import given
from dataflow.contrib.distributions.location_scale import Logistic
from dataflow.contrib.distributions.one_hot import ExpRelaxedOneHotCategorical
from dataflow.contrib.distributions.transformed import TransformedDistribution
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.distributions.logits import logits_and_probs
from dataflow.library.distributions.shapes import positive
from dataflow.ops.basic.identity import identity
from dataflow.values import dtypes


class RelaxedBernoulli(TransformedDistribution):
    """Numbers between 0 and 1: the sigmoid of logistic ones, see Maddison and others, 2016."""

    def __init__(
        self,
        temperature: Any,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "RelaxedBernoulli",
    ) -> None:
        """Takes the temperature, of which small ones are nearly 0 or 1, and logits or
        probabilities."""
        parameters = dict(locals())
        with name_scope(name, values=[logits, probs, temperature]) as scope:
            self._logits, self._probs = logits_and_probs(logits, probs, validate_args, scope)
            checked = positive(temperature, "temperature", validate_args, self._logits.dtype)
            self._temperature: Any = identity(checked, name="temperature")
            base = Logistic(
                self._logits / self._temperature,
                1.0 / self._temperature,
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                name=f"{scope}Logistic",
            )
            super().__init__(
                distribution=base,
                bijector=Sigmoid(validate_args=validate_args),
                validate_args=validate_args,
                name=scope,
            )
        self._parameters = given(parameters)

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        return {"logits": convert_to_tensor(sample_shape, dtype=dtypes.int32)}

    @property
    def temperature(self) -> Any:
        """The temperature."""
        return self._temperature

    @property
    def logits(self) -> Any:
        """The logits of 1."""
        return self._logits

    @property
    def probs(self) -> Any:
        """The probabilities of 1."""
        return self._probs


class RelaxedOneHotCategorical(TransformedDistribution):
    """Vectors of sum 1 that are nearly one-hot, by a softmax of Gumbel's numbers.

    See Jang, Gu and Poole, "Categorical Reparameterization with Gumbel-Softmax", 2016.
    """

    def __init__(
        self,
        temperature: Any,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "RelaxedOneHotCategorical",
    ) -> None:
        """Takes the arguments of `ExpRelaxedOneHotCategorical`."""
        logarithms = ExpRelaxedOneHotCategorical(
            temperature,
            logits=logits,
            probs=probs,
            dtype=dtype,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
        )
        super().__init__(logarithms, Exp(), name=name)
