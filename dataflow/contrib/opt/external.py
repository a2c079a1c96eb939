"""Optimizers outside the graph, which ask it for losses and gradients: ScipyOptimizerInterface."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
from dataflow.differentiation.gradients import gradients
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.placeholder import placeholder
from dataflow.values import logging
from dataflow.variables.variable import trainable_variables


class ExternalOptimizerInterface:
    """Minimizes by an algorithm that a subclass runs in `_minimize`."""

    def __init__(
        self,
        loss: Any,
        var_list: Sequence[Any] | None = None,
        equalities: Sequence[Any] | None = None,
        inequalities: Sequence[Any] | None = None,
        var_to_bounds: Mapping[Any, Any] | None = None,
        **optimizer_kwargs: Any,
    ) -> None:
        """Describes what to minimize.

        Args:
          loss: A scalar.
          var_list: The variables that move; all trainable ones if None.
          equalities: Tensors that are to become 0.
          inequalities: Tensors that are to become 0 or more.
          var_to_bounds: By variable a pair of lower and upper bounds, scalars or arrays.
          **optimizer_kwargs: Of the algorithm.
        """
        self._loss = loss
        self._equalities = list(equalities or [])
        self._inequalities = list(inequalities or [])
        self._vars = trainable_variables() if var_list is None else list(var_list)
        self._packed_bounds = None if var_to_bounds is None else self._bounds(var_to_bounds)
        with scopes.name_scope("external_optimizer"):
            self._placeholders = [
                placeholder(each.dtype.base_dtype, each.get_shape()) for each in self._vars
            ]
            self._updates = [
                each.assign(fed) for each, fed in zip(self._vars, self._placeholders, strict=True)
            ]
            self._loss_grad = self._packed(_gradients(loss, self._vars))
            self._equality_grads = [
                self._packed(_gradients(e, self._vars)) for e in self._equalities
            ]
            self._inequality_grads = [
                self._packed(_gradients(e, self._vars)) for e in self._inequalities
            ]
            self._packed_var = self._packed(self._vars)
        sizes = [int(np.prod(each.get_shape().as_list(), dtype=np.int64)) for each in self._vars]
        ends = [int(end) for end in np.cumsum([0, *sizes])]
        self._slices = [slice(*ends_of) for ends_of in itertools.pairwise(ends)]
        self.optimizer_kwargs = optimizer_kwargs

    def minimize(
        self,
        session: Any = None,
        feed_dict: Any = None,
        fetches: Any = None,
        step_callback: Callable[[Any], Any] | None = None,
        loss_callback: Callable[..., Any] | None = None,
        **run_kwargs: Any,
    ) -> None:
        """Minimizes, and assigns to the variables what was found.

        Args:
          session: The default session if None.
          feed_dict: What each run is fed.
          fetches: What `loss_callback` is called with, fetched with each loss.
          step_callback: Called with the packed variables after each step of the algorithm.
          loss_callback: See there.
          **run_kwargs: Of `Session.run`.
        """
        session = session or scopes.get_default_session()
        feed_dict, fetches = feed_dict or {}, list(fetches or [])
        loss_callback = loss_callback or (lambda *_: None)

        def evaluate(tensors: Sequence[Any], x: Any) -> Any:
            fed = {
                variable: x[where].reshape(variable.get_shape().as_list())
                for variable, where in zip(self._vars, self._slices, strict=True)
            }
            return session.run(tensors, feed_dict={**fed, **feed_dict}, **run_kwargs)

        def loss_and_gradient(x: Any) -> tuple[Any, Any]:
            loss, grad, *seen = evaluate([self._loss, self._loss_grad, *fetches], x)
            loss_callback(*seen)
            return loss, np.asarray(grad, np.float64)

        def evaluated(tensor: Any) -> Callable[[Any], Any]:
            return lambda x: np.asarray(evaluate([tensor], x)[0], np.float64)

        found = self._minimize(
            initial_val=np.asarray(session.run(self._packed_var, feed_dict), np.float64),
            loss_grad_func=loss_and_gradient,
            equality_funcs=[evaluated(e) for e in self._equalities],
            equality_grad_funcs=[evaluated(e) for e in self._equality_grads],
            inequality_funcs=[evaluated(e) for e in self._inequalities],
            inequality_grad_funcs=[evaluated(e) for e in self._inequality_grads],
            packed_bounds=self._packed_bounds,
            step_callback=step_callback,
            optimizer_kwargs=self.optimizer_kwargs,
        )
        values = [
            found[where].reshape(variable.get_shape().as_list())
            for variable, where in zip(self._vars, self._slices, strict=True)
        ]
        session.run(self._updates, dict(zip(self._placeholders, values, strict=True)), **run_kwargs)

    def _minimize(
        self,
        initial_val: Any,
        loss_grad_func: Any,
        equality_funcs: Any,
        equality_grad_funcs: Any,
        inequality_funcs: Any,
        inequality_grad_funcs: Any,
        packed_bounds: Any,
        step_callback: Any,
        optimizer_kwargs: Any,
    ) -> Any:
        """Runs the algorithm; gives the packed variables that it found."""
        raise NotImplementedError(
            "To use ExternalOptimizerInterface, subclass from it and implement the _minimize() "
            "method."
        )

    def _bounds(self, var_to_bounds: Mapping[Any, Any]) -> list[tuple[float, float]]:
        left, right = [], []
        for variable in self._vars:
            shape = variable.get_shape().as_list()
            lower, upper = var_to_bounds.get(variable, (-np.inf, np.inf))
            left.append(np.broadcast_to(lower, shape).ravel())
            right.append(np.broadcast_to(upper, shape).ravel())
        return list(zip(np.concatenate(left), np.concatenate(right), strict=True))

    @staticmethod
    def _packed(tensors: Sequence[Any]) -> Tensor:
        flat = [array_shape.reshape(each, [-1]) for each in tensors]
        return flat[0] if len(flat) == 1 else array_concat.concat(flat, 0)


class ScipyOptimizerInterface(ExternalOptimizerInterface):
    """Minimizes by `scipy.optimize.minimize`; `method` is L-BFGS-B, or SLSQP with constraints."""

    _DEFAULT_METHOD: ClassVar[str] = "L-BFGS-B"

    def _minimize(
        self,
        initial_val: Any,
        loss_grad_func: Any,
        equality_funcs: Any,
        equality_grad_funcs: Any,
        inequality_funcs: Any,
        inequality_grad_funcs: Any,
        packed_bounds: Any,
        step_callback: Any,
        optimizer_kwargs: Any,
    ) -> Any:
        # Takes a third of a second, which only programs that minimize this way have to wait for.
        import scipy.optimize

        options = dict(optimizer_kwargs)
        method = options.pop("method", self._DEFAULT_METHOD)
        constraints = [
            {"type": kind, "fun": function, "jac": gradient}
            for kind, functions, slopes in (
                ("eq", equality_funcs, equality_grad_funcs),
                ("ineq", inequality_funcs, inequality_grad_funcs),
            )
            for function, gradient in zip(functions, slopes, strict=True)
        ]
        arguments: dict[str, Any] = {
            "jac": True,
            "callback": step_callback,
            "method": method,
            "constraints": constraints,
            "bounds": packed_bounds,
        }
        for name in arguments:
            if name in options:
                if name == "bounds":
                    raise ValueError("Bounds must be set using the var_to_bounds argument")
                raise ValueError(
                    f"Optimizer keyword arg '{name}' is set automatically and cannot be injected "
                    "manually"
                )
        arguments.update(options)
        found = scipy.optimize.minimize(loss_grad_func, initial_val, **arguments)
        logging.info(
            "Optimization terminated with:\n  Message: %s\n  Objective function value: %f\n  "
            "Number of iterations: %d\n  Number of functions evaluations: %d",
            found.message,
            found.fun,
            found.nit,
            found.nfev,
        )
        return found["x"]


def _gradients(value: Any, variables: Sequence[Any]) -> list[Any]:
    """Gradients of a scalar; zeros where it does not depend on a variable."""
    value = convert_to_tensor(value)
    if value.shape.rank not in (0, None):
        value = array_shape.reshape(value, [])
    found = gradients(value, list(variables))
    return [
        array_fill.zeros_like(variable)
        if grad is None
        else convert_to_tensor(grad)
        if isinstance(grad, IndexedSlices)
        else grad
        for grad, variable in zip(found, variables, strict=True)
    ]
