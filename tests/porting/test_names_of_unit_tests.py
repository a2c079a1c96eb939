"""Names that TensorFlow's unit tests take from its inner modules; TensorFlow 1.15 printed this."""

from __future__ import annotations

from tests.porting.test_run import PROGRAMS, run

PRINTED = """\
True True True True True
Hooks must be a SessionRunHook, given: 3
resource_apply_gradient_descent tensorflow.python.platform.self_check
True True
True
['complex64', 'float32', 'float64', 'int16', 'int32', 'int64', 'int8', 'qint32', 'qint8', \
'quint8', 'uint8']
1 1 1
1 v:0 True
Only trackable objects (such as Layers or Optimizers) may be stored in a List object. Got 3, which \
does not inherit from Trackable.
"""


def test_they_are_what_they_are_in_tensorflow() -> None:
    done = run("run", str(PROGRAMS / "inner_modules.py"))
    assert done.stdout == PRINTED, done.stderr
