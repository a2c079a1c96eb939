"""make_template: a function that makes its variables once and shares them from then on."""

from __future__ import annotations

import functools
import threading
import traceback
from collections.abc import Callable
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.creation_site import capture
from dataflow.graph.keys import GraphKeys
from dataflow.graph.variable_scope_object import VariableScope
from dataflow.variables.scope import pure_variable_scope, unique_scope_name, variable_scope
from dataflow.variables.tracked import TrackableReference


class _FirstCalls(threading.local):
    """The templates that a thread calls for the first time, the innermost last."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[Template] = []


_first_calls = _FirstCalls()


def make_template(
    name_: str,
    func_: Callable[..., Any],
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Any = None,
    **kwargs: Any,
) -> Template:
    """Wraps a function so that its calls share the variables it gets with `get_variable`.

    Args:
      name_: Name of the variable scope; made unique.
      func_: The function.
      create_scope_now_: Opens the scope now rather than at the first call.
      unique_name_: Name of the scope that is taken as it is, in place of `name_`.
      custom_getter_: See `get_variable`.
      **kwargs: Arguments that are passed on in each call.

    Raises:
      ValueError: `name_` is None.
    """
    if kwargs:
        func_ = functools.partial(func_, **kwargs)
    return Template(name_, func_, create_scope_now_, unique_name_, custom_getter_)


class Template:
    """A function with a variable scope of its own; see `make_template`."""

    def __init__(
        self,
        name: str,
        func: Callable[..., Any],
        create_scope_now: bool = False,
        unique_name: str | None = None,
        custom_getter: Any = None,
    ) -> None:
        if name is None:
            raise ValueError("name cannot be None.")
        self._func = func
        self._name = name
        self._unique_name = unique_name
        self._custom_getter = custom_getter
        self._site = capture()
        self._scope: VariableScope | None = None
        self._variables_created = False
        self._first_call = True
        self._inner: dict[str, Template] = {}
        """Those that were called for the first time in its own first call, by scopes in its own."""
        if create_scope_now:
            wanted = unique_name or unique_scope_name(name)
            with pure_variable_scope(wanted, custom_getter=custom_getter) as scope:
                self._scope = scope

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function in the template's variable scope.

        Raises:
          ValueError: A call after the first one makes a trainable variable.
        """
        if self._scope is not None:
            with variable_scope(self._scope, reuse=not self._first_call):
                return self._call(args, kwargs)
        with variable_scope(
            self._unique_name, self._name, custom_getter=self._custom_getter
        ) as scope:
            self._scope = scope
            return self._call(args, kwargs)

    def _call(self, args: Any, kwargs: Any) -> Any:
        try:
            if self._variables_created:
                return self._call_again(args, kwargs)
            # A call from within the first one shares what that has made so far.
            is_first, self._first_call = self._first_call, False
            outer = list(_first_calls.open)
            if is_first:
                _first_calls.open = [*outer, self]
            try:
                result = self._func(*args, **kwargs)
            except BaseException:
                self._first_call = is_first
                raise
            finally:
                _first_calls.open = outer
            if is_first and outer:
                outer[-1]._add_inner(self)
            if is_first:
                self._variables_created = True
            return result
        except Exception as error:
            text = error.args[0] if error.args else ""
            frames = traceback.format_list(self._site.frames if self._site else [])
            error.args = (f"{text}\n\noriginally defined at:\n{''.join(frames)}", *error.args[1:])
            raise

    def _add_inner(self, template: Template) -> None:
        own, inner = self.variable_scope_name, template.variable_scope_name
        if own and inner and inner.startswith(own):
            self._inner[inner.removeprefix(own).removesuffix("/")] = template

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        """The templates in it, and its other variables, by their names in its scope."""
        theirs = {id(v) for template in self._inner.values() for v in template.variables}
        own = [variable for variable in self.variables if id(variable) not in theirs]
        scope = self.variable_scope_name or ""
        return [
            *(TrackableReference(name, template) for name, template in self._inner.items()),
            *(TrackableReference(v.op.name.removeprefix(scope), v) for v in own),
        ]

    def _call_again(self, args: Any, kwargs: Any) -> Any:
        trainable = scopes.get_collection_ref(GraphKeys.TRAINABLE_VARIABLES)
        before = len(trainable)
        result = self._func(*args, **kwargs)
        if len(trainable) != before:
            raise ValueError(
                "Trainable variable created when calling a template after the first time, perhaps "
                f"you used tf.Variable when you meant tf.get_variable: {trainable[before:]}"
            )
        return result

    @property
    def name(self) -> str:
        """The name asked for."""
        return self._name

    @property
    def func(self) -> Callable[..., Any]:
        """The function."""
        return self._func

    @property
    def variable_scope(self) -> VariableScope | None:
        """The variable scope; None before the first call, unless it was opened at once."""
        return self._scope

    @property
    def var_scope(self) -> VariableScope | None:
        """Old name of `variable_scope`."""
        return self._scope

    @property
    def variable_scope_name(self) -> str | None:
        """The variable scope's name, with a slash at its end; None as long as there is none."""
        if self._scope is None:
            return None
        name = self._scope.name
        return name if not name or name.endswith("/") else f"{name}/"

    def _collected(self, key: str) -> list[Any]:
        if not self._variables_created:
            return []
        return scopes.get_collection(key, self.variable_scope_name)

    @property
    def variables(self) -> list[Any]:
        """The global and local variables made so far."""
        return self.global_variables + self.local_variables

    @property
    def global_variables(self) -> list[Any]:
        """The variables made so far that are shared and saved."""
        return self._collected(GraphKeys.GLOBAL_VARIABLES)

    @property
    def local_variables(self) -> list[Any]:
        """The variables made so far that each process has for itself."""
        return self._collected(GraphKeys.LOCAL_VARIABLES)

    @property
    def trainable_variables(self) -> list[Any]:
        """The variables made so far that optimizers train."""
        return self._collected(GraphKeys.TRAINABLE_VARIABLES)

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The global variables made so far that optimizers do not train."""
        trainable = set(self.trainable_variables)
        return [v for v in self.global_variables if v not in trainable]

    @property
    def weights(self) -> list[Any]:
        """Like `variables`."""
        return self.variables

    @property
    def trainable_weights(self) -> list[Any]:
        """Like `trainable_variables`."""
        return self.trainable_variables

    @property
    def non_trainable_weights(self) -> list[Any]:
        """Like `non_trainable_variables`."""
        return self.non_trainable_variables
