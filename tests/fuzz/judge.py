"""Runs a trial and says what is wrong with how it ended."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

import dataflow as tf
from dataflow.importing.errors import InvalidGraphDefError
from dataflow.values.shapes import MAX_RANK
from tests.fuzz.trial import Trial, arrays
from tests.importing.test_mutations import names_a_node, names_the_place

# Where an unexpected error comes from is told, too.
tf.debugging.disable_traceback_filtering()

RUNS: Final = 3
"""The first ones are interpreted, the others run generated code."""
TIMEOUT_MS: Final = 15_000
PATIENCE_MS: Final = 60_000
"""For another try: on a busy machine the first one may only have loaded what an op needs."""
WAITING: Final = frozenset(
    {
        "Batch",
        "BatchFunction",
        "MapPeek",
        "MapStage",
        "MapUnstage",
        "MapUnstageNoKey",
        "OrderedMapPeek",
        "OrderedMapStage",
        "OrderedMapUnstage",
        "OrderedMapUnstageNoKey",
        "Stage",
        "StagePeek",
        "Unbatch",
        "UnbatchGrad",
        "Unstage",
    }
)
"""Ops that need no handle to wait for what others leave for them, or take."""
WAITING_MS: Final = 500
_REMOVED: Final = "is not available in GraphDef version"
_NOBODYS: Final = "Could not find callback with key="
"""What TensorFlow says, as a ValueError, of a Python function that is not there."""
_PYTHONS: Final = re.compile(r"\b(\w+(Error|Exception|Warning|Interrupt)|StopIteration): ")
"""A Python exception in the text of an error of its own."""


class Verdict(NamedTuple):
    """How a trial ended.

    Attributes:
        kind: "" if as it should; else what is wrong, alike for alike faults.
        text: The error, if there was one.
    """

    kind: str
    text: str = ""


def judge(trial: Trial) -> Verdict:
    """Imports the graph and runs it several times."""
    try:
        graph_def = trial.graph_def()
        feeds = arrays(trial)
    except tf.errors.OpError:
        raise
    except Exception as error:
        # Protobuf refuses bytes that are no message.
        return Verdict("", f"{type(error).__name__}")
    before = {name: array.copy() for name, array in feeds.items()}
    with tf.Graph().as_default() as graph:
        try:
            tf.import_graph_def(graph_def, name="")
        except InvalidGraphDefError as error:
            if not names_the_place(error.message, graph_def):
                return Verdict("an import that names no node", error.message)
            return Verdict("", error.message)
        except tf.errors.UnimplementedError as error:
            # As TensorFlow, which names the op.
            kind = "" if _REMOVED in error.message else "UnimplementedError left import"
            return Verdict(kind, error.message)
        except Exception as error:
            return _escaped("import", error)
        verdict = _run(graph, trial.fetches, feeds) if graph.version else Verdict("")
    changed = [name for name in feeds if not _same(feeds[name], before[name])]
    return Verdict("a feed was written to", str(changed)) if changed else verdict


def _run(graph: tf.Graph, fetches: Sequence[str], feeds: dict[str, Any]) -> Verdict:
    names = [op.name for op in graph.get_operations()]
    for function in graph.as_graph_def().library.function:
        # A recursion fails deep inside, and its caller may leave before all calls have returned.
        names += [f"{function.signature.name}/_body/{node.name}" for node in function.node_def]
    calls = len(graph._functions) > 0
    # Loops and recursions need not have an end.
    endless = calls or any(op.type == "NextIteration" for op in graph.get_operations())
    waits = any(op.type in WAITING for op in graph.get_operations())
    last = Verdict("")
    config = tf.ConfigProto(operation_timeout_in_ms=WAITING_MS if waits else TIMEOUT_MS)
    with tf.Session(graph=graph, config=config) as session:
        for fetch in fetches:
            # Recursion without end takes a second to find its limit.
            for _ in range(1 if calls else RUNS):
                last = judge_run(session, fetch, feeds, names, endless or waits)
                if last.kind:
                    return last
    return last


def judge_run(
    session: tf.Session, fetch: Any, feeds: dict[str, Any], names: list[str], endless: bool
) -> Verdict:
    """Runs a step.

    Args:
        session: Where.
        fetch: What for.
        feeds: What is fed.
        names: Of the graph's nodes.
        endless: The step need not have an end.
    """
    try:
        results = _results(session, fetch, feeds, endless)
    except tf.errors.OpError as error:
        return _refused(error, names, endless)
    except Exception as error:
        # Fetches and feeds that the graph does not have are refused by the session.
        if _is_of_the_front_end(error):
            return Verdict("", str(error))
        return _escaped("run", error)
    return _looked_at(results)


def _results(session: tf.Session, fetch: Any, feeds: dict[str, Any], endless: bool) -> Any:
    try:
        return session.run([fetch], feeds)
    except tf.errors.DeadlineExceededError:
        if endless:
            raise
    return session.run([fetch], feeds, tf.RunOptions(timeout_in_ms=PATIENCE_MS))


def _refused(error: tf.errors.OpError, names: list[str], endless: bool) -> Verdict:
    message = error.message
    if isinstance(error, tf.errors.DeadlineExceededError):
        return Verdict("" if endless else "a step that does not end", message)
    found = None if _NOBODYS in message else _PYTHONS.match(message)
    if found and not isinstance(error, tf.errors.ResourceExhaustedError):
        where = re.search(r"\[\[\{\{node (\S+)\}\}", message)
        op = error.op.type if error.op is not None else (where[1] if where else "?")
        return Verdict(f"{found[1]} of {op}", _with_cause(error))
    if isinstance(error, tf.errors.InternalError) and "cannot be bound" in message:
        return Verdict("InternalError when binding", message)
    if not names_a_node(message, names) and not any(f"{name}:" in message for name in names):
        return Verdict("a run that names no node", _with_cause(error))
    return Verdict("", message)


def _with_cause(error: BaseException) -> str:
    """The error, and where in the code its cause was."""
    text, cause = str(error)[:1500], error.__cause__
    while cause is not None and cause.__traceback__ is not None:
        trace = cause.__traceback__
        while trace.tb_next is not None:
            trace = trace.tb_next
        code = trace.tb_frame.f_code
        text += f"\n  at {code.co_filename}:{trace.tb_lineno}"
        cause = cause.__cause__
    return text


def _escaped(when: str, error: BaseException) -> Verdict:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = ""
    if trace is not None:
        place = f"{trace.tb_frame.f_code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}"
    return Verdict(f"{type(error).__name__} left {when} at {place}", str(error)[:1500])


def _is_of_the_front_end(error: Exception) -> bool:
    text = str(error)
    return (
        text.startswith(
            (
                "Cannot feed value",
                "Fetch argument",
                "Argument `fetch`",
                "Cannot interpret feed_dict",
                "Tensor ",
            )
        )
        or "may not be fed" in text
        or "Type of feed value" in text
    )


def _looked_at(results: Sequence[Any]) -> Verdict:
    for result in results:
        if isinstance(result, np.ndarray) and result.ndim > MAX_RANK:
            return Verdict("a result of too many dimensions", str(result.shape))
    return Verdict("")


def _same(left: Any, right: Any) -> bool:
    if left.dtype == object:
        return bool(left.ravel().tolist() == right.ravel().tolist())
    return bool(left.tobytes() == right.tobytes())
