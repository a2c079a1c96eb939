"""tf.case: the first of several conditions that holds decides."""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable, Sequence
from typing import Any

import dataflow.ops.math.compare as math_compare
import dataflow.ops.reductions.reduce as reductions
from dataflow.control_flow.assertion import Assert
from dataflow.control_flow.cond import cond
from dataflow.graph import scopes
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.graph.tracebacks import shortened
from dataflow.ops.array.concat import stack
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.values import dtypes, logging

Action = Callable[[], Any]


@shortened
def case(
    pred_fn_pairs: Any,
    default: Action | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """What the function of the first condition that is true makes.

    Args:
      pred_fn_pairs: Pairs of a boolean scalar tensor and a function, or a dictionary of them.
      default: Called if no condition is true; without it, that is an error of the step.
      exclusive: Whether two conditions that are true are an error of the step.
      strict: Whether a list or tuple of one element stays one.
      name: Name scope of the operations.

    Raises:
      TypeError: The pairs are no pairs, a condition is no boolean tensor, or a function is not
        callable.

    >>> x = tf.constant(5)
    >>> kind = tf.case([(x < 0, lambda: tf.constant(-1)), (x > 0, lambda: tf.constant(1))],
    ...                default=lambda: tf.constant(0))
    >>> with tf.Session() as session:
    ...     print(session.run(kind))
    1
    """
    return build_case(cond, pred_fn_pairs, default, exclusive, name, strict=strict)


def build_case(
    cond_fn: Callable[..., Any],
    pred_fn_pairs: Any,
    default: Action | None,
    exclusive: bool,
    name: str,
    allow_python_preds: bool = False,
    **cond_arguments: Any,
) -> Any:
    """`case` made of nested calls of `cond_fn`, which takes what `cond` takes."""
    pairs = _checked_pairs(pred_fn_pairs, exclusive, name, allow_python_preds)
    predicates, actions = map(list, zip(*pairs, strict=True))
    with scopes.name_scope(name, "case", [predicates]):
        if default is None:
            default, predicates, actions = _without_default(predicates, actions)
        function = default
        for predicate, action in reversed(list(zip(predicates, actions, strict=True))):
            function = functools.partial(
                cond_fn, predicate, true_fn=action, false_fn=function, **cond_arguments
            )
        if not exclusive:
            return function()
        only_one = _assert_at_most(predicates, 1, "Input error: exclusive=True")
        with scopes.control_dependencies([only_one]):
            return function()


def _without_default(
    predicates: list[Any], actions: list[Action]
) -> tuple[Action, list[Any], list[Action]]:
    """Makes the last action the default, which checks its condition."""
    last = len(predicates) - 1

    def default() -> Any:
        others = (
            f"Implementation error: selected default action #{last} was called, but some of other "
            "predicates are True: "
        )
        data = (
            "Input error: None of conditions evaluated as True:",
            stack(predicates, name="preds_c"),
        )
        with scopes.control_dependencies(
            [
                _assert_at_most(predicates[:last], 0, others),
                Assert(predicates[last], data=data),
            ]
        ):
            return actions[last]()

    return default, predicates[:last], actions[:last]


def _assert_at_most(predicates: Sequence[Any], limit: int, message: str) -> Operation:
    """An operation that fails if more conditions than that are true."""
    values = stack(predicates, name="preds_c")
    number = reductions.reduce_sum(cast(values, dtypes.int32), name="num_true_conds")
    condition = math_compare.less_equal(number, constant(limit, name="n_true_conds"))
    names = ", ".join(getattr(each, "name", "?") for each in predicates)
    text = f"{message}: more than {limit} conditions ({names}) evaluated as True:"
    return Assert(condition, data=[text, values], summarize=len(predicates))


def _checked_pairs(
    pred_fn_pairs: Any, exclusive: bool, name: str, allow_python_preds: bool
) -> list[tuple[Any, Action]]:
    if not isinstance(pred_fn_pairs, (list, tuple, dict)):
        raise TypeError("fns must be a list, tuple, or dict")
    pairs: Any = pred_fn_pairs
    if isinstance(pairs, collections.OrderedDict):
        pairs = pairs.items()
    elif isinstance(pairs, dict):
        pairs = sorted(pairs.items(), key=lambda item: item[0].name)
        if not exclusive:
            logging.warning(
                "%s: An unordered dictionary of predicate/fn pairs was provided, but "
                "exclusive=False. The order of conditional tests is deterministic but not "
                "guaranteed.",
                name,
            )
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError("Each entry in pred_fn_pairs must be a 2-tuple")
        predicate, function = pair
        if isinstance(predicate, Tensor):
            if predicate.dtype != dtypes.bool:
                raise TypeError(f"pred must be Tensor of type bool: {predicate.name}")
        elif not allow_python_preds:
            raise TypeError(f"pred must be a Tensor, got: {predicate}")
        elif not isinstance(predicate, bool):
            raise TypeError(f"pred must be a Tensor or bool, got: {predicate}")
        if not callable(function):
            label = getattr(predicate, "name", predicate)
            raise TypeError(f"fn for pred {label} must be callable.")
    return list(pairs)
