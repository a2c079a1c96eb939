"""tensorflow.python.keras.keras_parameterized: in which ways tests of Keras run; by sessions."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable
from typing import Any, Final

from absl.testing import parameterized

from dataflow import keras
from dataflow.porting.spellings.keras import models_of_tests
from dataflow.testing.graph_test_case import TestCase as _TestCase
from dataflow.values import nest

_TYPES: Final = ("functional", "subclass", "sequential")
_Test = Callable[..., Any]
_named: Any = parameterized.named_parameters


class TestCase(_TestCase, parameterized.TestCase):
    """A test case that leaves no session of Keras behind."""

    def tearDown(self) -> None:
        """Ends Keras' session."""
        keras.backend.clear_session()
        super().tearDown()


def run_with_all_model_types(test_or_class: Any = None, exclude_models: Any = None) -> Any:
    """Runs a test, or each test of a class, once for each type of models.

    Args:
      test_or_class: The test, several that a decorator made of one, or a class of tests.
      exclude_models: A type, or some, that are left out.
    """
    left_out = nest.flatten(exclude_models)
    cases = [(f"_{each}", each) for each in _TYPES if each not in left_out]

    def decorate(test: _Test) -> Any:
        @functools.wraps(test)
        def run(self: Any, model_type: str, *args: Any, **kwargs: Any) -> None:
            with models_of_tests.model_type_scope(model_type):
                test(self, *args, **kwargs)

        return _named(*cases)(run)

    return _decorator(test_or_class, decorate)


def run_all_keras_modes(
    test_or_class: Any = None,
    config: Any = None,
    always_skip_v1: bool = False,
    always_skip_eager: bool = False,
) -> Any:
    """Runs a test, or each test of a class, in a session: there is no eager execution.

    Args:
      test_or_class: The test, several that a decorator made of one, or a class of tests.
      config: Of the session.
      always_skip_v1: Whether the test is none for sessions, so that it is skipped.
      always_skip_eager: Makes no difference.
    """

    def decorate(test: _Test) -> Any:
        @functools.wraps(test)
        def run(self: Any, run_mode: str, *args: Any, **kwargs: Any) -> None:
            if always_skip_v1:
                self.skipTest("Test needs eager execution")
            with (
                models_of_tests.run_eagerly_scope(False),
                models_of_tests.experimental_run_tf_function_scope(False),
                self.test_session(use_gpu=True, config=config),
            ):
                test(self, *args, **kwargs)

        return _named(("_v1_session", "v1_session"))(run)

    return _decorator(test_or_class, decorate)


def _decorator(test_or_class: Any, decorate: Callable[[_Test], Any]) -> Any:
    def decorated(given: Any) -> Any:
        if isinstance(given, type):
            for name, value in dict(vars(given)).items():
                if name.startswith("test") and callable(value):
                    setattr(given, name, decorate(value))
            # Made again, since it is the making of a class that finds what has parameters.
            kind = type(given)
            return kind.__new__(kind, given.__name__, given.__bases__, dict(vars(given)))
        if isinstance(given, Iterable):
            return itertools.chain.from_iterable(decorate(each) for each in given)
        return decorate(given)

    return decorated if test_or_class is None else decorated(test_or_class)
