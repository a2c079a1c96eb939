"""The OpError family against TensorFlow's, and errors that cross a process."""

from __future__ import annotations

import multiprocessing
import pickle
from traceback import FrameSummary
from types import SimpleNamespace

import pytest
import tensorflow.compat.v1 as tf

from dataflow import errors
from dataflow.proto import node_def_pb2

CODE_NAMES = [name for name in dir(tf.errors) if name.isupper()]
CLASS_NAMES = [name for name in dir(tf.errors) if name.endswith("Error") and name != "OpError"]


def test_codes() -> None:
    assert len(CODE_NAMES) == 17
    for name in CODE_NAMES:
        assert getattr(errors, name) == getattr(tf.errors, name)


@pytest.mark.parametrize("name", CLASS_NAMES)
def test_classes(name: str) -> None:
    ours, theirs = getattr(errors, name), getattr(tf.errors, name)
    error, expected = ours(None, None, "what happened"), theirs(None, None, "what happened")
    assert error.error_code == expected.error_code
    assert str(error) == str(expected)
    assert repr(error) == repr(expected)
    assert error.message == expected.message
    assert error.node_def is None
    assert error.op is None
    assert error.args == expected.args
    assert error.experimental_payloads == expected.experimental_payloads == {}
    assert ours(None, None, "m", {"k": b"v"}).experimental_payloads == {"k": b"v"}
    assert isinstance(error, errors.OpError)
    code = error.error_code
    assert errors.exception_type_from_error_code(code) is ours
    assert errors.error_code_from_exception_type(ours) == code
    assert tf.errors.exception_type_from_error_code(code) is theirs


def test_there_are_sixteen_classes() -> None:
    assert len(CLASS_NAMES) == 16
    with pytest.raises(KeyError):
        errors.exception_type_from_error_code(errors.OK)
    with pytest.warns(UserWarning, match="Unknown class exception"):
        code = errors.error_code_from_exception_type(errors.OpError)
    assert isinstance(code, errors.UnknownError)


def operation(name: str, lines: list[int], original: object = None) -> SimpleNamespace:
    frames = [FrameSummary("model.py", line, "layer", line="pass") for line in lines]
    return SimpleNamespace(
        name=name,
        type="Add",
        device="/cpu:0",
        traceback=frames,
        traceback_line=f"model.py:{lines[-1]}",
        _original_op=original,
    )


def test_text_shows_the_frames_that_made_the_operation() -> None:
    op = operation("grad/add", [7], operation("add", [3, 9]))
    error = errors.InvalidArgumentError(None, op, "bad shape")
    assert str(error).splitlines() == [
        "bad shape",
        "",
        "Original stack trace for 'grad/add':",
        '  File "model.py", line 7, in layer',
        "    pass",
        "",
        "...which was originally created as op 'add', defined at:",
        '  File "model.py", line 3, in layer',
        "    pass",
        '  File "model.py", line 9, in layer',
        "    pass",
    ]
    assert error.message == "bad shape"


class CustomError(errors.OutOfRangeError):
    def __init__(self, where: str) -> None:
        super().__init__(None, None, f"past the end of {where}")


def test_pickle_leaves_the_operation_behind() -> None:
    node = node_def_pb2.NodeDef(name="x", op="Add", device="/cpu:0")
    node.attr["big"].s = b"0" * 10000
    error = errors.NotFoundError(node, operation("x", "a.py:1"), "missing", {"k": b"v"})
    data = pickle.dumps(error)
    assert len(data) < 1000
    copy = pickle.loads(data)  # noqa: S301
    assert type(copy) is errors.NotFoundError
    assert (copy.message, copy.error_code, copy.op) == ("missing", errors.NOT_FOUND, None)
    assert (copy.node_def.name, copy.node_def.op) == ("x", "Add")
    assert copy.experimental_payloads == {"k": b"v"}
    custom = pickle.loads(pickle.dumps(CustomError("file")))  # noqa: S301
    assert type(custom) is CustomError
    assert custom.message == "past the end of file"
    assert custom.error_code == errors.OUT_OF_RANGE


REPORT = errors.ErrorReport(
    code=errors.INVALID_ARGUMENT,
    message="Incompatible shapes: [2] vs. [3]",
    node_name="scope/add",
    op_type="AddV2",
    device="/job:worker/replica:0/task:1/device:CPU:0",
    inputs="float32[2], float32[3]",
    created_at="model.py:12",
)


def test_report_becomes_an_exception_that_says_where() -> None:
    error = REPORT.to_exception()
    assert type(error) is errors.InvalidArgumentError
    assert error.message == (
        "Incompatible shapes: [2] vs. [3]\n"
        "\t [[{{node scope/add}}]]\n"
        "\t device: /job:worker/replica:0/task:1/device:CPU:0\n"
        "\t inputs: float32[2], float32[3]\n"
        "\t defined at model.py:12"
    )
    assert error.node_def is not None
    assert error.node_def.name == "scope/add"
    op = operation("scope/add", "model.py:12")
    assert REPORT.to_exception(op).op is op


def test_report_without_a_node_is_the_message_alone() -> None:
    error = errors.ErrorReport(errors.ABORTED, "step 3 was aborted").to_exception()
    assert error.message == "step 3 was aborted"
    assert error.node_def is None


def test_report_survives_exception_and_pickle() -> None:
    error = REPORT.to_exception()
    assert errors.ErrorReport.from_exception(error) == REPORT
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert errors.ErrorReport.from_exception(copy) == REPORT


@pytest.mark.parametrize("code", [*range(1, 17), 99])
def test_every_code_crosses(code: int) -> None:
    error = errors.ErrorReport(code, "m").to_exception()
    assert error.error_code == code
    assert errors.ErrorReport.from_exception(error).code == code


def _fail(connection: multiprocessing.connection.Connection) -> None:
    connection.send(REPORT.to_exception())


def test_an_exception_crosses_a_process() -> None:
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_fail, args=(sender,))
    process.start()
    error = receiver.recv()
    process.join()
    assert type(error) is errors.InvalidArgumentError
    assert errors.ErrorReport.from_exception(error) == REPORT


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ValueError("bad"), errors.INVALID_ARGUMENT),
        (TypeError("bad"), errors.INVALID_ARGUMENT),
        (MemoryError("bad"), errors.RESOURCE_EXHAUSTED),
        (NotImplementedError("bad"), errors.UNIMPLEMENTED),
        (StopIteration("bad"), errors.OUT_OF_RANGE),
        (TimeoutError("bad"), errors.DEADLINE_EXCEEDED),
        (FileNotFoundError("bad"), errors.NOT_FOUND),
        (ConnectionResetError("bad"), errors.UNAVAILABLE),
        (RuntimeError("bad"), errors.INTERNAL),
        (ZeroDivisionError("bad"), errors.INTERNAL),
    ],
)
def test_python_errors_get_a_code(error: Exception, code: int) -> None:
    report = errors.ErrorReport.from_exception(error)
    assert report.code == code
    assert report.message == f"{type(error).__name__}: bad"


def test_report_of_an_error_raised_with_an_operation() -> None:
    report = errors.ErrorReport.from_exception(
        errors.DataLossError(None, operation("read", [2, 9]), "damaged")
    )
    assert (report.node_name, report.op_type, report.created_at) == ("read", "Add", "model.py:9")
