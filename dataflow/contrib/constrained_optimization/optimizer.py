"""What optimizers under constraints share: when constraints count, and how a step is made."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from dataflow.control_flow.cond import cond
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import colocate_with, control_dependencies
from dataflow.ops.array.shape import reshape
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import group
from dataflow.ops.state.reference import assign_add
from dataflow.training.optimizer import Optimizer


class ConstrainedOptimizer(ABC):
    """Minimizes under constraints by an optimizer that knows none."""

    def __init__(self, optimizer: Any) -> None:
        """Takes the optimizer."""
        self._optimizer = optimizer

    @property
    def optimizer(self) -> Any:
        """The optimizer of the model's variables."""
        return self._optimizer

    @abstractmethod
    def _minimize_constrained(
        self,
        minimization_problem: Any,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        """A step under constraints."""

    def minimize_constrained(
        self,
        minimization_problem: Any,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        """A step under constraints.

        Args:
          minimization_problem: A `ConstrainedMinimizationProblem`.
          global_step: A variable that counts steps, or None.
          var_list: See `tf.train.Optimizer.minimize`, as for the rest.
          gate_gradients: See there.
          aggregation_method: See there.
          colocate_gradients_with_ops: See there.
          name: See there.
          grad_loss: See there.

        Raises:
          ValueError: The objective and the constraints have other types.
        """
        with control_dependencies(minimization_problem.pre_train_ops or []):
            return self._minimize_constrained(
                minimization_problem,
                global_step,
                var_list,
                gate_gradients,
                aggregation_method,
                colocate_gradients_with_ops,
                name,
                grad_loss,
            )

    def minimize_unconstrained(
        self,
        minimization_problem: Any,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        """A step that only knows the objective; see `minimize_constrained`."""
        with control_dependencies(minimization_problem.pre_train_ops or []):
            return self.optimizer.minimize(
                minimization_problem.objective,
                global_step,
                var_list,
                gate_gradients,
                aggregation_method,
                colocate_gradients_with_ops,
                name,
                grad_loss,
            )

    def minimize(
        self,
        minimization_problem: Any,
        unconstrained_steps: Any = None,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        """A step under constraints, but not before so many steps; see `minimize_constrained`.

        Args:
          minimization_problem: See there.
          unconstrained_steps: How many first steps only know the objective.
          global_step: See there.
          var_list: See there.
          gate_gradients: See there.
          aggregation_method: See there.
          colocate_gradients_with_ops: See there.
          name: See there.
          grad_loss: See there.

        Raises:
          ValueError: There are such steps, but nothing counts them.
        """

        def made(minimize: Callable[..., Any]) -> Any:
            return minimize(
                minimization_problem,
                global_step,
                var_list,
                gate_gradients,
                aggregation_method,
                colocate_gradients_with_ops,
                name,
                grad_loss,
            )

        if unconstrained_steps is None:
            return made(self.minimize_constrained)
        if global_step is None:
            raise ValueError("global_step cannot be None if unconstrained_steps is provided")
        first = convert_to_tensor(unconstrained_steps)
        return cond(
            cast(global_step, first.dtype) < first,
            lambda: made(self.minimize_unconstrained),
            lambda: made(self.minimize_constrained),
        )


class RegretOptimizer(ConstrainedOptimizer):
    """An optimizer of two players: one moves the model, one what weighs constraints."""

    def __init__(self, optimizer: Any, constraint_optimizer: Any = None) -> None:
        """Takes the optimizer of the model, and that of weights; the same if None."""
        super().__init__(optimizer)
        self._constraint_optimizer = constraint_optimizer

    @property
    def constraint_optimizer(self) -> Any:
        """The optimizer of weights, or None."""
        return self._constraint_optimizer

    @abstractmethod
    def _game(self, objective: Any, constraints: Any, proxies: Any) -> tuple[Any, Any, Any]:
        """The loss of the model, the weights' variable, and the gradient that it goes against."""

    @abstractmethod
    def _projected(self, weights: Any) -> Any:
        """The weights nearest to some that are allowed."""

    def _minimize_constrained(
        self,
        minimization_problem: Any,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        objective, constraints = minimization_problem.objective, minimization_problem.constraints
        proxies = minimization_problem.proxy_constraints
        proxies = constraints if proxies is None else proxies
        if len({each.dtype.base_dtype for each in (objective, constraints, proxies)}) > 1:
            raise ValueError(
                "objective, constraints and proxy_constraints must have the same dtype"
            )
        count = minimization_problem.num_constraints
        loss, state, gradient = self._game(
            objective, *(reshape(each, (count,)) for each in (constraints, proxies))
        )
        of_model = self.optimizer.compute_gradients(
            loss,
            var_list,
            gate_gradients,
            aggregation_method,
            colocate_gradients_with_ops,
            grad_loss,
        )
        of_weights = [(-gradient, state)]
        steps = self._applied(of_model, of_weights)
        with control_dependencies(steps), colocate_with(state):
            # What is read here is what the step has made.
            projected = self._projected(state.read_value())
            if global_step is None:
                return state.assign(projected, name=name)
            projection = state.assign(projected, name="project")
            with colocate_with(global_step):
                counted = assign_add(global_step, 1, name="global_step_increment")
            return group(projection, counted, name=name)

    def _applied(self, of_model: Sequence[Any], of_weights: Sequence[Any]) -> list[Any]:
        if self._constraint_optimizer is None:
            return [self.optimizer.apply_gradients([*of_model, *of_weights], name="update")]
        found = [each for each, _ in (*of_model, *of_weights) if each is not None]
        # Neither player sees the other's move.
        with control_dependencies(found):
            return [
                self.optimizer.apply_gradients(of_model, name="update"),
                self._constraint_optimizer.apply_gradients(
                    of_weights, name="optimizer_state_update"
                ),
            ]
