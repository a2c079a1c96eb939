"""The names that texts of nets are written with."""

from __future__ import annotations

from typing import Any

import dataflow.contrib.layers as layers
from dataflow.contrib.specs import expressions
from dataflow.contrib.specs.expressions import Composable
from dataflow.graph.variable_scope_object import VariableScope
from dataflow.ops.array.concat import concat
from dataflow.ops.array.shape import expand_dims, reshape, squeeze
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.identity import identity
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.math.trig import tanh
from dataflow.ops.nn.activation import relu
from dataflow.ops.nn.lrn import local_response_normalization
from dataflow.ops.nn.softmax import softmax
from dataflow.ops.text.printing import Print as print_tensors
from dataflow.variables.scope import get_variable, variable_scope


class Idx(Composable):
    """Gives what it takes; `Idx()`."""

    def funcall(self, x: Any) -> Any:
        """See `Composable`."""
        return x


class Conc(Composable):
    """What several functions make, one behind the other."""

    def __init__(self, dim: int, *args: Composable) -> None:
        """Takes the axis and the functions."""
        self.dim = dim
        self.funs = args

    def funcall(self, x: Any) -> Any:
        """See `Composable`."""
        return concat([f.funcall(x) for f in self.funs], self.dim)


External = expressions.External
Import = expressions.Import
Fun = expressions.Function
debug = expressions.debug
Print = Fun(print_tensors)
Id = Fun(identity)

Cx = Fun(layers.conv2d)
Cs = Fun(layers.conv2d, activation_fn=sigmoid)
Ct = Fun(layers.conv2d, activation_fn=tanh)
Cr = Fun(layers.conv2d, activation_fn=relu)
Cm = Fun(layers.conv2d, activation_fn=softmax)
Cl = Fun(layers.conv2d, activation_fn=None)

Fx = Fun(layers.fully_connected)
Fs = Fun(layers.fully_connected, activation_fn=sigmoid)
Ft = Fun(layers.fully_connected, activation_fn=tanh)
Fr = Fun(layers.fully_connected, activation_fn=relu)
Fm = Fun(layers.fully_connected, activation_fn=softmax)
Fl = Fun(layers.fully_connected, activation_fn=None)

Mp = Fun(layers.max_pool2d)
Ap = Fun(layers.avg_pool2d)

Do = Fun(layers.dropout)
Bn = Fun(layers.batch_norm)
Lrn = Fun(local_response_normalization)
Unit = Fun(layers.unit_norm)

Flat = Fun(layers.flatten)
Reshape = Fun(reshape)
Transpose = Fun(transpose)
Squeeze = Fun(squeeze)
Expand = Fun(expand_dims)

Relu = Fun(relu)
Sig = Fun(sigmoid)
Tanh = Fun(tanh)
Smax = Fun(softmax)


def Dws(n: int) -> expressions.Function:
    """A convolution of single pixels to `n` channels, and the sigmoid."""
    return Cs(n, [1, 1])


def Dwm(n: int) -> expressions.Function:
    """A convolution of single pixels to `n` channels, and the softmax."""
    return Cm(n, [1, 1])


def Var(name: str, *args: Any, **kw: Any) -> Composable:
    """A variable, whatever the tensor.

    Args:
      name: Its name.
      *args: What `tf.get_variable` takes after it.
      **kw: What else it takes.
    """
    return expressions.Callable(lambda _: get_variable(name, *args, **kw))


class Shared(Composable):
    """A net whose variables are the same wherever it stands."""

    shared_number = 1
    """Of the next one without a name."""

    def __init__(self, subnet: Composable, name: str | None = None, scope: Any = None) -> None:
        """Takes the net.

        Args:
          subnet: The net.
          name: The name of its variable scope; `Shared_1`, `Shared_2` ... if None.
          scope: A variable scope in which its variables are already.

        Raises:
          ValueError: The name is no string, the scope none, or both are given.
        """
        if scope is not None and not isinstance(scope, VariableScope):
            raise ValueError("scope must be None or a VariableScope")
        if name is not None and not isinstance(name, str):
            raise ValueError("name must be None or a string")
        if scope is not None and name is not None:
            raise ValueError("cannot provide both a name and a scope")
        if name is None:
            name = f"Shared_{Shared.shared_number}"
            Shared.shared_number += 1
        self.subnet = subnet
        self.name = name
        self.scope = scope

    def funcall(self, x: Any) -> Any:
        """See `Composable`."""
        if self.scope is not None:
            with variable_scope(self.scope, values=[x], reuse=True):
                return self.subnet.funcall(x)
        with variable_scope(self.name, values=[x]) as scope:
            self.scope = scope
            return self.subnet.funcall(x)
