"""tf.py_func, tf.numpy_function: a Python function on arrays as an operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.graph import scopes
from dataflow.ops.python.py_func import call_python
from dataflow.values.python import functions as python_functions


def py_func(
    func: Callable[..., Any],
    inp: Any,
    Tout: Any,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """Wraps a Python function as an operation that calls it with arrays, whenever it is run.

    It is called where the operation is placed: on the targets of Ray in another process, which
    gets a copy of it, with all that it refers to. The graph keeps it alive; a GraphDef has only a
    token that stands for it.

    Args:
      func: Takes an array for each of `inp`, or a numpy scalar or bytes where the shape is [].
        Returns an array or what numpy makes one of, a list of them, or None for nothing.
      inp: Tensors.
      Tout: Element type of the result, or a list of those of several results.
      stateful: Whether it may give others for equal arrays, or does more than compute. What is
        stateless may be called less often.
      name: Name of the operation.

    Returns:
      A tensor, or a list of them if `Tout` is one; the operation if `Tout` is empty, or an
      empty list if it is not stateful, either.

    Raises:
      ValueError: `func` is not callable. When run, an exception of `func` fails the step:
        ValueError and TypeError with InvalidArgumentError, StopIteration with OutOfRangeError,
        MemoryError with ResourceExhaustedError, NotImplementedError with UnimplementedError, all
        others with UnknownError; InvalidArgumentError: it returns another number of results, or
        others than `Tout` says.

    >>> y = tf.py_func(lambda x: x[::-1].copy(), [tf.constant([1, 2, 3])], tf.int32)
    >>> with tf.Session() as session:
    ...     print(session.run(y))
    [3 2 1]
    """
    if not callable(func):
        raise ValueError(f"Expected func to be callable, got func of type {type(func)}")
    is_list = isinstance(Tout, (list, tuple))
    graph = scopes.get_default_graph()
    made = call_python(
        "PyFunc" if stateful else "PyFuncStateless",
        python_functions.register(func),
        inp,
        Tout if is_list else [Tout],
        graph,
        name,
    )
    if is_list and not (Tout or stateful):
        return []
    return made if is_list else made[0]


def numpy_function(
    func: Any = None, inp: Any = None, Tout: Any = None, stateful: bool = True, name: Any = None
) -> Any:
    """Wraps a Python function as an operation that calls it with arrays; see `py_func`."""
    return py_func(func, inp, Tout, stateful, name)
