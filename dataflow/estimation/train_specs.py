"""What train_and_evaluate is to do: TrainSpec and EvalSpec."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from dataflow.estimation.exporters import Exporter
from dataflow.training.hooks.session_run_hook import SessionRunHook


class _TrainFields(NamedTuple):
    input_fn: Any
    max_steps: Any
    hooks: Any
    saving_listeners: Any


class TrainSpec(_TrainFields):
    """How to train."""

    __slots__ = ()

    def __new__(
        cls,
        input_fn: Any,
        max_steps: int | None = None,
        hooks: Any = None,
        saving_listeners: Any = None,
    ) -> TrainSpec:
        """Checks the arguments of `Estimator.train`.

        Args:
          input_fn: Gives the input of training.
          max_steps: At which global step to end; when the input does if None.
          hooks: Are called in the loop.
          saving_listeners: Are called when a checkpoint is saved.

        Raises:
          TypeError: `input_fn` cannot be called, or a hook is none.
          ValueError: `max_steps` is not positive.
        """
        _check_input_fn(input_fn)
        if max_steps is not None and max_steps <= 0:
            raise ValueError(f"Must specify max_steps > 0, given: {max_steps}")
        return super().__new__(
            cls, input_fn, max_steps, _checked_hooks(hooks), tuple(saving_listeners or ())
        )


class _EvalFields(NamedTuple):
    input_fn: Any
    steps: Any
    name: Any
    hooks: Any
    exporters: Any
    start_delay_secs: Any
    throttle_secs: Any


class EvalSpec(_EvalFields):
    """How to evaluate, and what to export then."""

    __slots__ = ()

    def __new__(
        cls,
        input_fn: Any,
        steps: int | None = 100,
        name: str | None = None,
        hooks: Any = None,
        exporters: Any = None,
        start_delay_secs: float = 120,
        throttle_secs: float = 600,
    ) -> EvalSpec:
        """Checks the arguments of `Estimator.evaluate`.

        Args:
          input_fn: Gives the input of evaluation.
          steps: How many steps; until the input ends if None.
          name: Ends the name of the folder of summaries.
          hooks: Are called in the loop.
          exporters: Export after an evaluation.
          start_delay_secs: How long an evaluator waits before it begins.
          throttle_secs: How long it is from one evaluation to the next at least.

        Raises:
          TypeError: `input_fn` cannot be called, `name` is no string, or a hook or
            exporter is none.
          ValueError: A number is out of its range, or exporters have one name.
        """
        _check_input_fn(input_fn)
        if steps is not None and steps <= 0:
            raise ValueError(f"Must specify steps > 0, given: {steps}")
        if name is not None and not isinstance(name, str):
            raise TypeError(f"`name` must be string, given: {name}")
        if start_delay_secs < 0:
            raise ValueError(f"Must specify start_delay_secs >= 0, given: {start_delay_secs}")
        if throttle_secs < 0:
            raise ValueError(f"Must specify throttle_secs >= 0, given: {throttle_secs}")
        return super().__new__(
            cls,
            input_fn,
            steps,
            name,
            _checked_hooks(hooks),
            _checked_exporters(exporters),
            start_delay_secs,
            throttle_secs,
        )


def _check_input_fn(input_fn: Any) -> None:
    if not callable(input_fn):
        raise TypeError(f"`input_fn` must be callable, given: {input_fn}")


def _checked_hooks(hooks: Sequence[Any] | None) -> tuple[Any, ...]:
    found = tuple(hooks or ())
    for hook in found:
        if not isinstance(hook, SessionRunHook):
            raise TypeError(f"All hooks must be `SessionRunHook` instances, given: {hook}")
    return found


def _checked_exporters(exporters: Any) -> tuple[Exporter, ...]:
    if not exporters:
        return ()
    if isinstance(exporters, Exporter):
        return (exporters,)
    text = "`exporters` must be an Exporter, an iterable of Exporter, or `None`, found {}."
    try:
        found = tuple(exporters)
    except TypeError:
        raise TypeError(text.format(exporters)) from None
    if not all(isinstance(each, Exporter) for each in found):
        raise TypeError(text.format(exporters))
    names = [each.name for each in found]
    for name in names:
        if not name:
            raise ValueError(
                "An Exporter cannot have a name that is `None` or empty. All exporter names: "
                f"{names}"
            )
        if not isinstance(name, str):
            raise ValueError(f"An Exporter must have a string name. Given: {type(name)}")
    if len(set(names)) != len(names):
        raise ValueError(
            "`exporters` must have unique names. Such a name cannot be `None`. All exporter "
            f"names: {names}"
        )
    return found
