"""What a monitor is: something that is told of each step of a training, and may end it."""

from __future__ import annotations

from typing import Any


class BaseMonitor:
    """Base of monitors; each method that is overridden calls its own first."""

    def __init__(self) -> None:
        """Makes a monitor that has not begun."""
        self._begun = False
        self._current_epoch: int | None = None
        self._current_step: int | None = None
        self._max_steps: int | None = None
        self._estimator: Any = None

    @property
    def run_on_all_workers(self) -> bool:
        """Whether it runs on workers that are not chief, too."""
        return False

    def set_estimator(self, estimator: Any) -> None:
        """Takes the estimator that is trained.

        Raises:
          ValueError: It is None.
        """
        if estimator is None:
            raise ValueError("Missing estimator.")
        self._estimator = estimator

    def begin(self, max_steps: int | None = None) -> None:
        """Called when the graph is made.

        Args:
          max_steps: The last step.

        Raises:
          ValueError: It has begun already.
        """
        if self._begun:
            raise ValueError("begin called twice without end.")
        self._max_steps = max_steps
        self._begun = True

    def end(self, session: Any = None) -> None:
        """Called after the last step.

        Raises:
          ValueError: It has not begun.
        """
        if not self._begun:
            raise ValueError("end called without begin.")
        self._max_steps = None
        self._begun = False

    def epoch_begin(self, epoch: int) -> None:
        """Begins an epoch.

        Raises:
          ValueError: One is going on, or its number is negative.
        """
        if self._current_epoch is not None:
            raise ValueError("epoch_begin called twice without epoch_end.")
        if epoch < 0:
            raise ValueError(f"Invalid epoch {epoch}.")
        self._current_epoch = epoch

    def epoch_end(self, epoch: int) -> None:
        """Ends an epoch.

        Raises:
          ValueError: It is not the one that is going on.
        """
        if self._current_epoch != epoch:
            raise ValueError(f"epoch_end expected {self._current_epoch} but got {epoch}.")
        self._current_epoch = None

    def step_begin(self, step: int) -> list[Any]:
        """Gives the tensors, or their names, that the step is to compute for it.

        Raises:
          ValueError: There is no such step.
        """
        if step < 0 or (self._max_steps is not None and step > self._max_steps):
            raise ValueError(f"Invalid step {step}.")
        self._current_step = step
        return []

    def step_end(self, step: int, output: Any) -> Any:
        """Takes what the step has computed, by what `step_begin` gave; True ends the training.

        Raises:
          ValueError: It is another step than the one that has begun.
        """
        if self._current_step != step:
            raise ValueError(f"step_end expected {self._current_step} but got {step}.")
        self._current_step = None
        return False

    def post_step(self, step: int, session: Any) -> None:
        """Called after all monitors have seen the step's end."""


class EveryN(BaseMonitor):
    """Base of monitors of every n-th step, of some at the beginning, and of the last one."""

    def __init__(self, every_n_steps: int = 100, first_n_steps: int = 1) -> None:
        """Makes a monitor.

        Args:
          every_n_steps: How many steps are between its steps.
          first_n_steps: Up to which step it sees all.
        """
        super().__init__()
        self._every_n_steps = every_n_steps
        self._first_n_steps = first_n_steps
        self._last_successful_step: int | None = None
        self._last_active_step = 0
        self._every_n_step_begin_called = False

    def every_n_step_begin(self, step: int) -> list[Any]:
        """`step_begin` of its steps."""
        return []

    def every_n_step_end(self, step: int, outputs: Any) -> Any:
        """`step_end` of its steps."""
        return False

    def every_n_post_step(self, step: int | None, session: Any) -> None:
        """`post_step` of its steps, and of the last step."""

    def step_begin(self, step: int) -> list[Any]:
        """Asks for tensors if it is one of its steps."""
        super().step_begin(step)
        self._every_n_step_begin_called = (
            step <= self._first_n_steps
            or step >= self._every_n_steps + self._last_active_step
            or step == self._max_steps
        )
        return self.every_n_step_begin(step) if self._every_n_step_begin_called else []

    def step_end(self, step: int, output: Any) -> Any:
        """Takes tensors if it is one of its steps."""
        super().step_end(step, output)
        return self._every_n_step_begin_called and self.every_n_step_end(step, output)

    def post_step(self, step: int, session: Any) -> None:
        """Ends the step."""
        super().post_step(step, session)
        if self._every_n_step_begin_called:
            self.every_n_post_step(step, session)
            self._last_active_step = step
        self._last_successful_step = step

    def end(self, session: Any = None) -> None:
        """Sees the last step, if it has not yet."""
        super().end(session=session)
        if self._last_successful_step != self._last_active_step:
            self.every_n_post_step(self._last_successful_step, session)


class StopAtStep(BaseMonitor):
    """Ends the training after a number of steps, or at a step."""

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        """Makes a monitor.

        Args:
          num_steps: After how many steps.
          last_step: At which step.

        Raises:
          ValueError: None or both are given.
        """
        super().__init__()
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps = num_steps
        self._last_step = last_step

    @property
    def run_on_all_workers(self) -> bool:
        """True."""
        return True

    def step_begin(self, step: int) -> list[Any]:
        """Counts from the first step on."""
        super().step_begin(step)
        if self._last_step is None:
            assert self._num_steps is not None
            self._last_step = step + self._num_steps - 1
        return []

    def step_end(self, step: int, output: Any) -> Any:
        """Whether it is the last step."""
        super().step_end(step, output)
        assert self._last_step is not None
        return step >= self._last_step


def output_of(outputs: Any, request: Any) -> Any:
    """What a step computed for a tensor or a name."""
    return outputs[request] if request in outputs else outputs[request.name]
