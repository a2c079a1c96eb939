"""python -m dataflow check: what a program will miss, with the lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dataflow.porting import uses
from tests.porting.test_run import PROGRAMS, run

PROGRAM = """import numpy as np
import tensorflow as tf
import tensorflow.contrib.nothing as nothing
from tensorflow.python.ops import array_ops as ao, nonsense_ops
from tensorflow.python.framework.ops import GraphKeys, Tensr

layers = tf.layers
dense = layers.dense
again = layers


def f(x):
    y = dense(tf.nn.relu(x), 3) + tf.nn.reloo(x)
    np.reshape(y, [1]).tf.nothing
    tf.train.AdamOptimizer(1.0).minimise(y)
    tf.nn.reloo(again.dance(x))
    config = tf.ConfigProto()
    tf.GPUOptions(allow_growth=True)
    return ao.shape(y), ao.shap(y), GraphKeys.WEIGHTS, GraphKeys.WAITS, tf.float32.name
"""


def report_of(path: Path) -> tuple[int, dict[str, Any]]:
    done = run("check", "--json", str(path))
    return done.returncode, json.loads(done.stdout)


def test_what_a_program_lacks(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    code, report = report_of(path)
    assert code == 1
    found = {
        each["path"]: [int(place.rpartition(":")[2]) for place in each["places"]]
        for each in report["missing"]
    }
    assert found == {
        "tensorflow.nn.reloo": [13, 16],
        "tensorflow.contrib.nothing": [3],
        "tensorflow.python.ops.nonsense_ops": [4],
        "tensorflow.python.framework.ops.Tensr": [5],
        "tensorflow.layers.dance": [16],
        "tensorflow.python.ops.array_ops.shap": [19],
        "tensorflow.python.framework.ops.GraphKeys.WAITS": [19],
    }
    assert report["uses"] == 19
    (different,) = report["different"]
    assert different["path"] == "tensorflow.GPUOptions"
    text = run("check", str(path)).stdout
    assert f"{path}:13" in text and "tensorflow.nn.reloo (2)" in text
    assert "The nearest that there is: tensorflow.nn.relu" in text
    assert text.splitlines()[-1].startswith("1 files use")


SCOPES = """import logging
import numpy as np
def told():
    from tensorflow.compat.v1 import logging
    np = logging.info
    def inner():
        return logging.warn, np.log
    return inner
def own():
    from keras import layers
    logging.getLogger("x")
    return layers.Dense, np.zeros
try:
    from tensorflow.keras import layers
except ImportError:
    from keras import layers
layers.Flatten
"""


def test_what_a_name_means_inside_of_functions(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(SCOPES)
    assert [(use.path.removeprefix("tensorflow."), use.line) for use in uses.read(path).uses] == [
        ("compat.v1.logging", 4),
        ("compat.v1.logging.info", 5),
        ("compat.v1.logging.info.log", 7),
        ("compat.v1.logging.warn", 7),
        ("keras.layers", 14),
        ("keras.layers.Flatten", 17),
    ]


def test_all_is_there() -> None:
    done = run("check", str(PROGRAMS))
    assert done.returncode == 0, done.stdout
    assert "0 names are missing, 100.0 % of the uses are there." in done.stdout


def test_a_folder_with_python_2(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text("import tensorflow as tf\nprint 'tf'\n")
    (tmp_path / "null.py").write_bytes(b"x = '\0'")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "new.py").write_text("import tensorflow as tf\ntf.constant(1)\n")
    code, report = report_of(tmp_path)
    assert code == 1 and report["files"] == 3 and report["uses"] == 1 and not report["missing"]
    assert [where for where, _ in report["unread"]][1] == f"{tmp_path / 'old.py'}, line 2"
    assert "not read: Missing parentheses" in run("check", str(tmp_path)).stdout


def test_no_such_program() -> None:
    done = run("check", "nothing.py")
    assert done.returncode == 2 and "nothing.py" in done.stderr


def test_parts_of_contrib_that_are_not_here(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(
        "import tensorflow as tf\nfrom tensorflow.contrib import kafka, slim\n"
        "slim.conv2d\nkafka.Reader(1)\ntf.contrib.kafka.PER.HOST\n"
        "from tensorflow.contrib.layers.python.layers.layers import conv2d, nothing\n"
    )
    _, report = report_of(path)
    found = {each["path"]: each["reason"] for each in report["missing"]}
    assert found.keys() == {
        "tensorflow.contrib.kafka.Reader",
        "tensorflow.contrib.kafka.PER",
        "tensorflow.contrib.layers.python.layers.layers.nothing",
    }
    assert "tf.contrib.kafka is not here (Apache Kafka)" in found["tensorflow.contrib.kafka.Reader"]


def test_names_that_a_program_gives_itself(tmp_path: Path) -> None:
    (tmp_path / "keys.py").write_text(
        "import tensorflow as tf\ntf.GraphKeys.INPUTS = tf.both = 'inputs'\ntf.nope.INPUTS = 1\n"
    )
    (tmp_path / "model.py").write_text(
        "import tensorflow as tf\nkeys = tf.GraphKeys\ntf.get_collection(keys.INPUTS.lower())\n"
        "tf.both.upper\ntf.get_collection(keys.OUTPUTS)\n"
    )
    _, report = report_of(tmp_path)
    assert {each["path"] for each in report["missing"]} == {
        "tensorflow.GraphKeys.OUTPUTS",
        "tensorflow.nope",
    }


def test_modules_of_a_part_that_answers_to_every_name(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(
        "from tensorflow.contrib.eager.python import tfe\ntfe.defun\ntfe.Iterator\n"
        "import tensorflow as tf\ntf.contrib.eager.python.tfe.Network\ntf.__file__\n"
    )
    _, report = report_of(path)
    assert [each["path"].rpartition(".")[2] for each in report["missing"]] == [
        "Iterator",
        "Network",
    ]


def test_a_name_is_not_the_nearest_to_itself(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text("import tensorflow as tf\ntf.compat.v2.experimental.async_scope()\n")
    text = run("check", str(path)).stdout
    assert "dataflow has no tensorflow.compat.v2.experimental." in text
    assert "The nearest that there is" not in text


def test_ops_that_a_later_import_defines(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "from tensorflow.python.ops import gen_array_ops\n"
        "print(gen_array_ops.identity(3.0).op.type)\n"
        "from tensorflow.python.framework import test_ops\n"
        "print(test_ops.float_output().op.type)\n"
    )
    checked, ran = run("check", str(program)), run("run", str(program))
    assert checked.returncode == 0, checked.stdout
    assert ran.stdout.split() == ["Identity", "FloatOutput"], ran.stderr
