"""tensorflow.python.keras.utils.metrics_utils: thresholds, and variables that count decisions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, Final

from dataflow.keras.metrics.counts import decisions
from dataflow.keras.metrics.kinds import ConfusionMatrix
from dataflow.ops.basic.grouping import group

NEG_INF: Final = -1e10


class Reduction(Enum):
    """What a metric makes of many values."""

    SUM = "sum"
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"
    WEIGHTED_MEAN = "weighted_mean"


def assert_thresholds_range(thresholds: Iterable[Any] | None) -> None:
    """Checks that thresholds are numbers from 0 to 1.

    Raises:
      ValueError: Some are not.
    """
    wrong = [each for each in thresholds or () if each is None or not 0 <= each <= 1]
    if wrong:
        raise ValueError(f"Threshold values must be in [0, 1]. Invalid values: {wrong}")


def parse_init_thresholds(thresholds: Any, default_threshold: Any = 0.5) -> list[Any]:
    """Thresholds as a list.

    Args:
      thresholds: A number, several, or None for the default.
      default_threshold: What is taken then, unchecked.

    Raises:
      ValueError: Some are no numbers from 0 to 1.
    """
    if thresholds is None:
        return _listed(default_threshold)
    assert_thresholds_range(_listed(thresholds))
    return _listed(thresholds)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def update_confusion_matrix_variables(
    variables_to_update: Mapping[ConfusionMatrix, Any] | None,
    y_true: Any,
    y_pred: Any,
    thresholds: Any,
    top_k: int | None = None,
    class_id: int | None = None,
    sample_weight: Any = None,
) -> Any:
    """An operation that adds the decisions of a batch to variables.

    Args:
      variables_to_update: By the kind of decision a variable with a number for each threshold.
      y_true: Ones and zeros.
      y_pred: How likely ones are.
      thresholds: Above which these are taken for ones.
      top_k: How many of a row may be taken for ones, or None.
      class_id: The only column that counts, or None.
      sample_weight: What a decision counts, or None.

    Raises:
      ValueError: There is no variable, or one for something else.
    """
    if variables_to_update is None:
        return None
    kinds = list(ConfusionMatrix)
    if not any(each in kinds for each in variables_to_update):
        raise ValueError(
            "Please provide at least one valid confusion matrix variable to update. Valid variable "
            f'key options are: "{kinds}". Received: "{variables_to_update.keys()}"'
        )
    wrong = [each for each in variables_to_update if each not in kinds]
    if wrong:
        raise ValueError(f'Invalid keys: {wrong}. Valid variable key options are: "{kinds}"')
    found = decisions(
        "float32", y_true, y_pred, _listed(thresholds), sample_weight, top_k, class_id
    )
    return group(
        *[
            variable.assign_add(found[kind.name.lower()])
            for kind, variable in variables_to_update.items()
        ]
    )
