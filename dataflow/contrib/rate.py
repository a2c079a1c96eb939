"""tf.contrib.rate: how fast values change from one step to the next."""

from __future__ import annotations

import re as _re
from typing import Any as _Any

from dataflow.graph.keys import GraphKeys as _GraphKeys
from dataflow.graph.scopes import control_dependencies as _control_dependencies
from dataflow.ops.array.fill import zeros as _zeros
from dataflow.ops.basic.cast import cast as _cast
from dataflow.ops.basic.identity import identity as _identity
from dataflow.ops.math.binary import maximum as _maximum
from dataflow.ops.math.binary import subtract as _subtract
from dataflow.ops.math.division import div_no_nan as _div_no_nan
from dataflow.values import dtypes as _dtypes
from dataflow.variables.resource_variable import ResourceVariable as _ResourceVariable
from dataflow.variables.scope import variable_scope as _variable_scope


class Rate:
    """What values have gained since the step before, by what something else has gained."""

    def __init__(self, name: str | None = None) -> None:
        """Makes a rate; its local variables come with the first call, and start with zeros.

        Args:
          name: Where its variables are; the class's name if None.
        """
        name = name or type(self).__name__
        scope_name = _re.sub("[^A-Za-z0-9.]", "_", name)
        with _variable_scope(scope_name, use_resource=True, reuse=False) as scope:
            self._scope = scope
        self._name = name + scope.name[scope.name.rfind(scope_name) + len(scope_name) :]
        self._built = False

    @property
    def name(self) -> str:
        """Its name, as it was given."""
        return self._name

    @property
    def variables(self) -> list[_Any]:
        """Always empty, as in TensorFlow 1.15."""
        return []

    def __call__(self, values: _Any, denominator: _Any) -> _Any:
        """The rate since the step before, which this one becomes.

        Args:
          values: A tensor of known shape.
          denominator: What the rate is taken by, as a count of steps.

        Returns:
          A float64 tensor; zeros where `denominator` has not grown.
        """
        if not self._built:
            with _variable_scope(self._scope):
                self.build(values, denominator)
        return self.call(values, denominator)

    def build(self, values: _Any, denominator: _Any) -> None:
        """Makes the variables for tensors like these."""
        self.numer = self._add_variable("numer", values)
        self.denom = self._add_variable("denom", denominator)
        self.prev_values = self._add_variable("prev_values", values)
        self.prev_denominator = self._add_variable("prev_denominator", denominator)
        self._built = True

    def call(self, values: _Any, denominator: _Any) -> _Any:
        """As `__call__`, of a rate that has its variables."""
        values = _cast(values, _dtypes.float64)
        denominator = _cast(denominator, _dtypes.float64)
        grown = _subtract(values, self.prev_values)
        passed = _subtract(denominator, self.prev_denominator)
        with _control_dependencies([grown, passed]):
            kept = [
                self.numer.assign(grown).op,
                self.denom.assign(passed).op,
                self.prev_values.assign(values).op,
                self.prev_denominator.assign(denominator).op,
            ]
        with _control_dependencies(kept):
            return _div_no_nan(_identity(grown), _maximum(passed, 0), name="safe_rate")

    def _add_variable(self, name: str, like: _Any) -> _Any:
        shape = like.get_shape()
        return _ResourceVariable(
            lambda: _zeros(shape, _dtypes.float64),
            trainable=False,
            validate_shape=True,
            name=name,
            collections=[_GraphKeys.LOCAL_VARIABLES],
        )
