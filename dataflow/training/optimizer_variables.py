"""What an optimizer keeps: slots, that belong to the variables it trains, and other variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from dataflow.functions.func_graph import outermost
from dataflow.graph import scopes
from dataflow.graph.tensor import Tensor
from dataflow.training import slot_creator
from dataflow.training.optimizer_targets import is_resource_variable
from dataflow.variables.scope import get_variable, variable_scope
from dataflow.variables.variable import Variable


class OptimizerVariables:
    """The variables of an optimizer.

    Args:
      name: Name of the optimizer.
      use_own_namescope_for_non_slot_vars: Puts variables that belong to no other variable into a
        scope of that name.
    """

    def __init__(self, name: str, use_own_namescope_for_non_slot_vars: bool) -> None:
        self._name = name
        self._use_own_namescope_for_non_slot_vars = use_own_namescope_for_non_slot_vars
        if use_own_namescope_for_non_slot_vars:
            with variable_scope(None, default_name=name) as scope:
                self._non_slot_variable_scope = scope
        self._slots: dict[str, dict[Any, Any]] = {}
        self._non_slot_dict: dict[Any, Any] = {}

    def get_slot(self, var: Any, name: str) -> Any:
        """The slot of that name that belongs to a variable, or None.

        Args:
          var: A variable that was passed to `minimize` or `apply_gradients`.
          name: One of `get_slot_names()`.
        """
        slots = self._slots.get(name)
        return slots.get(var_key(var)) if slots else None

    def get_slot_names(self) -> list[str]:
        """The names of the slots there are, sorted."""
        return sorted(self._slots)

    def variables(self) -> list[Any]:
        """All variables in the default graph that the optimizer keeps, sorted by name."""
        graph = scopes.get_default_graph()
        kept = [*self._non_slot_variables()]
        for slots in self._slots.values():
            kept += slots.values()
        return sorted((v for v in kept if v.op.graph is graph), key=lambda v: str(v.name))

    def _create_non_slot_variable(self, initial_value: Any, name: str, colocate_with: Any) -> Any:
        """A variable that belongs to no other one; the same for the same name and graph."""
        key = (name, colocate_with.graph)
        made = self._non_slot_dict.get(key)
        if made is not None:
            return made
        options: dict[str, Any] = {
            "name": name,
            "trainable": False,
            "use_resource": is_resource_variable(colocate_with),
        }
        with scopes.colocate_with(colocate_with):
            if self._use_own_namescope_for_non_slot_vars:
                with scopes.name_scope(""), variable_scope(self._non_slot_variable_scope):
                    made = get_variable(initializer=initial_value, **options)
            else:
                made = Variable(initial_value, **options)
        self._non_slot_dict[key] = made
        return made

    def _get_non_slot_variable(self, name: str, graph: Any = None) -> Any:
        key = (name, None if graph is None else outermost(graph))
        return self._non_slot_dict.get(key)

    def _checkpoint_children(self) -> dict[str, Any]:
        """The variables of the default graph that belong to no other one, by name."""
        graph = scopes.get_default_graph()
        named = sorted(
            ((name, made) for (name, _), made in self._non_slot_dict.items()),
            key=lambda pair: pair[0],
        )
        return {name: made for name, made in named if made.op.graph is graph}

    def _non_slot_variables(self) -> Iterable[Any]:
        """The variables that belong to no other one."""
        return self._non_slot_dict.values()

    def _slot_dict(self, slot_name: str) -> dict[Any, Any]:
        """The slots of that name by key of the variable they belong to."""
        return self._slots.setdefault(slot_name, {})

    def _get_or_make_slot(self, var: Any, val: Tensor, slot_name: str, op_name: str) -> Any:
        """The slot of a variable, made with an initial value if there is none yet."""
        return self._self_kept_slot(
            var, slot_name, lambda: slot_creator.create_slot(var, val, op_name)
        )

    def _get_or_make_slot_with_initializer(
        self, var: Any, initializer: Any, shape: Any, dtype: Any, slot_name: str, op_name: str
    ) -> Any:
        """The slot of a variable, made by an initializer if there is none yet."""
        return self._self_kept_slot(
            var,
            slot_name,
            lambda: slot_creator.create_slot_with_initializer(
                var, initializer, shape, dtype, op_name
            ),
        )

    def _zeros_slot(self, var: Any, slot_name: str, op_name: str) -> Any:
        """The slot of a variable, made of zeros if there is none yet."""
        return self._self_kept_slot(
            var, slot_name, lambda: slot_creator.create_zeros_slot(var, op_name)
        )

    def _self_kept_slot(self, var: Any, slot_name: str, make: Callable[[], Any]) -> Any:
        slots, key = self._slot_dict(slot_name), var_key(var)
        if key not in slots:
            slots[key] = make()
        return slots[key]


def var_key(var: Any) -> Any:
    """What the slots of a variable are kept under."""
    return var.op.graph, var.op.name
