"""tensorflow.python.framework.combinations: a test for each combination of listed arguments."""

from __future__ import annotations

import functools
import inspect
import itertools
import re
import types
import unittest
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Any, Final

from absl.testing import parameterized

from dataflow.graph.graph import Graph

_Combinations = Sequence[Mapping[str, Any]]
_ADDRESS: Final = re.compile("0[xX][0-9a-fA-F]+")


def combine(**kwargs: Any) -> list[dict[str, Any]]:
    """Each combination of the values that the arguments list, sorted by the arguments' names."""
    names = sorted(kwargs)
    values = (kwargs[name] if isinstance(kwargs[name], list) else [kwargs[name]] for name in names)
    return [dict(zip(names, each, strict=True)) for each in itertools.product(*values)]


def times(*combined: _Combinations) -> list[dict[str, Any]]:
    """Each combination of one set with each of the others.

    Raises:
      ValueError: Two sets have an argument in common.
    """
    found = []
    for parts in itertools.product(*combined):
        merged = {name: value for part in parts for name, value in part.items()}
        if len(merged) < sum(len(part) for part in parts):
            keys = " vs ".join(str(list(part)) for part in parts)
            raise ValueError(f"Keys need to not overlap: {keys}")
        found.append(merged)
    return found


class NamedObject:
    """Another object, with a name that is good for a test's."""

    def __init__(self, name: str, obj: Any) -> None:
        """Takes the name, and what has it."""
        self._name = name
        self._obj = obj

    def __getattr__(self, name: str) -> Any:
        return getattr(self._obj, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._obj(*args, **kwargs)

    def __repr__(self) -> str:
        return self._name


class ParameterModifier:
    """Says what a test gets for some of a combination's arguments."""

    DO_NOT_PASS_TO_THE_TEST: Final = object()

    def __init__(self, parameter_name: str | None = None) -> None:
        """Takes the argument's name."""
        self._parameter_name = parameter_name

    def modified_arguments(
        self, kwargs: Mapping[str, Any], requested_parameters: Sequence[str]
    ) -> dict[str, Any]:
        """Name -> value of the arguments that change.

        Args:
          kwargs: All of a combination.
          requested_parameters: The names that the test takes.
        """
        return {}

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ParameterModifier)
            and type(self) is type(other)
            and self._parameter_name == other._parameter_name
        )

    def __hash__(self) -> int:
        return hash(self._parameter_name or id(self))


class OptionalParameter(ParameterModifier):
    """An argument that a test does not get which does not take it."""

    def modified_arguments(
        self, kwargs: Mapping[str, Any], requested_parameters: Sequence[str]
    ) -> dict[str, Any]:
        """Name -> value of the arguments that change."""
        name = str(self._parameter_name)
        return {} if name in requested_parameters else {name: self.DO_NOT_PASS_TO_THE_TEST}


class TestCombination:
    """Says what some arguments of combinations mean."""

    __test__ = False

    def should_execute_combination(self, kwargs: dict[str, Any]) -> tuple[bool, str | None]:
        """Whether a combination is run, and why not."""
        return True, None

    def parameter_modifiers(self) -> list[ParameterModifier]:
        """What changes the arguments."""
        return []

    def context_managers(self, kwargs: dict[str, Any]) -> list[AbstractContextManager[Any]]:
        """The contexts that the test runs in."""
        return []


class EagerGraphCombination(TestCombination):
    """The argument `mode`: "graph", or "eager", which is left out."""

    def should_execute_combination(self, kwargs: dict[str, Any]) -> tuple[bool, str | None]:
        """Whether a combination is run, and why not."""
        return kwargs.get("mode") != "eager", "There is no eager execution here."

    def context_managers(self, kwargs: dict[str, Any]) -> list[AbstractContextManager[Any]]:
        """A graph of its own."""
        if (mode := kwargs.pop("mode", "graph")) != "graph":
            raise ValueError(f"'mode' has to be either 'eager' or 'graph' and not {mode}")
        return [Graph().as_default()]

    def parameter_modifiers(self) -> list[ParameterModifier]:
        """The test need not take it."""
        return [OptionalParameter("mode")]


class TFVersionCombination(TestCombination):
    """The argument `tf_api_version`: 1, or 2, which is left out."""

    def should_execute_combination(self, kwargs: dict[str, Any]) -> tuple[bool, str | None]:
        """Whether a combination is run, and why not."""
        return kwargs.get("tf_api_version") != 2, "What runs here is TensorFlow 1's."

    def parameter_modifiers(self) -> list[ParameterModifier]:
        """The test need not take it."""
        return [OptionalParameter("tf_api_version")]


def generate(
    combinations: _Combinations,
    test_combinations: Iterable[TestCombination] = (
        EagerGraphCombination(),
        TFVersionCombination(),
    ),
) -> Callable[[Any], Any]:
    """A decorator of a test, or of a class's, that makes one test of each combination.

    Args:
      combinations: Of `combine` or `times`.
      test_combinations: Say what some of the arguments mean.
    """
    known = tuple(test_combinations)
    named = [{**each, "testcase_name": _named(each)} for each in combinations]

    def decorate(decorated: Any) -> Any:
        if not isinstance(decorated, type):
            of_method: Any = parameterized.named_parameters
            return of_method(*named)(_combined(decorated, known))
        for name, method in list(vars(decorated).items()):
            prefix = unittest.TestLoader.testMethodPrefix
            if name.startswith(prefix) and isinstance(method, types.FunctionType):
                delattr(decorated, name)
                run = _combined(method, known)
                for each in combinations:
                    setattr(decorated, name + _named(each), functools.partialmethod(run, **each))
        return decorated

    return decorate


def _named(combination: Mapping[str, Any]) -> str:
    parts = []
    for index, (name, value) in enumerate(combination.items()):
        text = _ADDRESS.sub(str(index), str(value))
        parts.append("_".join(("", *("".join(filter(str.isalnum, each)) for each in (name, text)))))
    return f"_test{''.join(parts)}"


def _combined(test: Callable[..., None], known: Sequence[TestCombination]) -> Callable[..., None]:
    """A test whose arguments may mean something to the combinations that are known."""
    taken = inspect.getfullargspec(test).args
    modifiers = {each for combination in known for each in combination.parameter_modifiers()}

    @functools.wraps(test)
    def run(self: Any, **kwargs: Any) -> None:
        answers = [each.should_execute_combination(dict(kwargs)) for each in known]
        if reasons := [f" - {reason}" for should, reason in answers if not should]:
            self.skipTest("\n".join(reasons))
        given = dict(kwargs)
        for modifier in modifiers:
            given.update(modifier.modified_arguments(dict(kwargs), taken))
        left_out = ParameterModifier.DO_NOT_PASS_TO_THE_TEST
        given = {name: value for name, value in given.items() if value is not left_out}
        if omitted := set(taken) - {"self", *given}:
            raise ValueError(
                f"The test requires parameters whose arguments were not passed: {omitted} ."
            )
        if missing := set(given) - set(taken):
            raise ValueError(f"The test does not take parameters that were passed : {missing} .")
        with ExitStack() as stack:
            for combination in known:
                for manager in combination.context_managers(dict(kwargs)):
                    stack.enter_context(manager)
            test(self, **given)

    del run.__dict__["__wrapped__"]
    return run
