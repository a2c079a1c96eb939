"""All elements of a dataset, one after the other, for a kernel that waits for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.datasets.dataset import Dataset, Element
from dataflow.kernels.datasets.iterator import Done, Pull, Step


def drain(
    dataset: Dataset,
    step: Step,
    done: Done,
    visit: Callable[[Element], None],
    finish: Callable[[], Any],
) -> None:
    """Has a function called with each element, and another one at the end.

    Args:
      dataset: The dataset.
      step: The step that the elements are for.
      done: Ends the kernel's call.
      visit: Called with an element.
      finish: Called at the end; gives the kernel's outputs.
    """
    pull = Pull(dataset)

    def take(error: BaseException | None, element: Element | None) -> None:
        try:
            if error is not None:
                raise error
            if element is not None:
                visit(element)
                pull.request(step, take)
                return
            result = finish()
        except BaseException as wrong:
            pull.close()
            done(error=wrong)
        else:
            pull.close()
            done(result)

    pull.request(step, take)
