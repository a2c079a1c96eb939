"""tf.flags, tf.app, tf.logging, tf.compat and the switches, with TensorFlow as the truth."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf

_SCRIPT = """
import sys
import {library} as tf

flags = tf.flags
flags.DEFINE_string("data_dir", "/tmp/data", "Directory of the data.")
flags.DEFINE_integer("steps", 100, "Number of steps.")
flags.DEFINE_float("rate", 1, "Learning rate.")
flags.DEFINE_boolean("fake", False, "Uses fake data.")
tf.app.flags.DEFINE_bool("real", True, "Uses real data.")
flags.DEFINE_enum("mode", "train", ["train", "eval"], "What to do.")
flags.DEFINE_list("hosts", "a,b", "Machines.")
flags.DEFINE_multi_integer("layer", [1], "Sizes.")
FLAGS = tf.app.flags.FLAGS

def main(argv):
    names = ("data_dir", "steps", "rate", "fake", "real", "mode", "hosts", "layer")
    print([getattr(FLAGS, name) for name in names])
    print(argv[1:])
    FLAGS.steps = 5
    print(FLAGS.steps, "steps" in FLAGS, "absent" in FLAGS, FLAGS["steps"].value)
    try:
        FLAGS.absent
    except AttributeError:
        print("no such flag")
    return 3

if __name__ == "__main__":
    {start}
"""


_EACH = """
import json, os, runpy, sys
import tensorflow.compat.v1

script, *lines = sys.argv[1:]
for number, line in enumerate(lines):
    child = os.fork()
    if not child:
        os.dup2(os.open(f"{script}.{number}", os.O_WRONLY | os.O_CREAT), 1)
        sys.argv = [script, *json.loads(line)]
        runpy.run_path(script, run_name="__main__")
        sys.exit()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Runs a script with one command line after the other; TensorFlow is imported once."""

_FLAGS = (
    ["--data_dir=x y", "--steps", "7", "-rate=0.5", "file", "--fake", "--noreal", "--new=1"],
    ["--mode=eval", "--hosts=c, d", "--layer=2", "--layer", "3", "--", "--steps=0x10"],
)
_HELP = ["--help"]


def _written(library: str, folder: Path, start: str) -> Path:
    script = folder / "script.py"
    script.write_text(textwrap.dedent(_SCRIPT).format(library=library, start=start))
    return script


def _python(*arguments: str) -> subprocess.CompletedProcess[str]:
    root = Path(tf.__file__).parents[1]
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(root), "PATH": "/usr/bin:/bin"},
        timeout=240,
        check=False,
    )


def _run(arguments: list[str], folder: Path, start: str) -> tuple[int, str, str]:
    done = _python(str(_written("dataflow", folder, start)), *arguments)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the script is: help names it."""
    return tmp_path_factory.mktemp("flags")


@pytest.fixture(scope="module")
def theirs(folder: Path) -> list[tuple[int, str]]:
    """Status and output of TensorFlow's program for each command line."""
    script = str(_written("tensorflow.compat.v1", folder, "tf.app.run()"))
    done = _python("-c", _EACH, script, *map(json.dumps, (*_FLAGS, _HELP)))
    assert done.returncode == 0, done.stderr
    return [
        (int(status), Path(f"{script}.{number}").read_text())
        for number, status in enumerate(done.stdout.split())
    ]


@pytest.mark.parametrize("number", range(len(_FLAGS)))
def test_programs_with_flags(number: int, folder: Path, theirs: list[tuple[int, str]]) -> None:
    ours = _run(_FLAGS[number], folder, "tf.app.run()")
    assert ours[0] == 3
    assert ours[:2] == theirs[number], ours[2]


def test_flags_without_a_main_function(tmp_path: Path) -> None:
    start = "print(FLAGS.steps, FLAGS.rate)"
    assert _run(["--steps=0x10"], tmp_path, start)[1] == "16 1.0\n"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--steps=many"], "flag --steps=many"),
        (["--mode=fly"], "should be one of <train|eval>"),
        (["--fake=perhaps"], "Non-boolean argument to boolean flag"),
        (["--steps"], "Missing value for flag --steps"),
    ],
)
def test_bad_command_lines(arguments: list[str], complaint: str, tmp_path: Path) -> None:
    code, printed, complained = _run(arguments, tmp_path, "tf.app.run()")
    assert code == 1
    assert not printed
    assert complained.startswith("FATAL Flags parsing error")
    assert complaint in complained


def test_help_lists_the_flags(folder: Path, theirs: list[tuple[int, str]]) -> None:
    ours = _run(_HELP, folder, "tf.app.run()")
    assert "--data_dir: Directory of the data." in ours[1]
    assert ours[:2] == theirs[-1]


def test_flags_are_defined_once() -> None:
    values = tf.flags.FlagValues()
    tf.flags.DEFINE_string("once", None, "Once.", required=True, flag_values=values)
    with pytest.raises(tf.flags.DuplicateFlagError, match="once"):
        tf.flags.DEFINE_integer("once", 1, "Twice.", flag_values=values)
    with pytest.raises(tf.flags.IllegalFlagValueError, match="must have a value"):
        values(["program"])
    with pytest.raises(tf.flags.UnrecognizedFlagError, match="absent"):
        values(["program", "--once=1", "--absent=2"])


def test_flags_by_the_former_names_of_arguments_and_as_a_mapping() -> None:
    made = tf.flags.DEFINE_integer(flag_name="surroundings", default_value=3, docstring="Size.")
    flags = tf.flags.FLAGS
    try:
        assert "surroundings" in flags and "surroundings" in list(flags) and len(flags) > 0
        assert flags["surroundings"].default == 3 and flags["surroundings"].help == "Size."
        assert flags(["program", "--surroundings=4", "--absent", "rest"], known_only=True) == [
            "program",
            "--absent",
            "rest",
        ]
        assert flags.surroundings == made.value == 4
        assert flags._parse_flags(["--surroundings=6", "--absent", "rest"]) == ["--absent", "rest"]
        assert flags.surroundings == 6
        flags.surroundings = 5
        assert flags.surroundings == 5 and "surroundings" in dir(flags)
        assert "--surroundings" in str(flags)
    finally:
        del flags.surroundings
    assert "surroundings" not in flags


def test_messages(capsys: pytest.CaptureFixture[str]) -> None:
    logged = tf.logging
    assert logged.get_verbosity() == logged.WARN
    logged.info("not %s", "seen")
    logged.warn("a %s", "warning")
    logged.set_verbosity(logged.INFO)
    try:
        logged.info("step %d: %.1f", 3, 0.5)
        logged.log(logged.DEBUG, "not seen")
        for number in range(5):
            logged.log_every_n(logged.INFO, "every %d", 2, number)
            logged.log_first_n(logged.ERROR, "first %d", 2, number)
            logged.log_if(logged.INFO, "if %d", number == 3, number)
        logged.TaskLevelStatusMessage("status")
        logged.flush()
    finally:
        logged.set_verbosity(logged.WARN)
    assert capsys.readouterr().err.splitlines() == [
        "WARNING:dataflow:a warning",
        "INFO:dataflow:step 3: 0.5",
        "INFO:dataflow:every 0",
        "ERROR:dataflow:first 0",
        "ERROR:dataflow:first 1",
        "INFO:dataflow:every 2",
        "INFO:dataflow:if 3",
        "INFO:dataflow:every 4",
        "ERROR:dataflow:status",
    ]


def test_names_of_logging_and_compat() -> None:
    for ours, theirs in ((tf.logging, oracle.logging), (tf.compat, oracle.compat)):
        later = {"v2"}
        names = {name for name in dir(theirs) if not name.startswith("_")} - later
        assert [name for name in sorted(names) if not hasattr(ours, name)] == []


@pytest.mark.parametrize("function", ["as_bytes", "as_text", "as_str", "as_str_any", "path_to_str"])
@pytest.mark.parametrize(
    "value", [b"bytes", "t\u00e9xt", bytearray(b"array"), 3, None, Path("/a/b"), b"\xc3\xa9"]
)
def test_text_and_bytes(function: str, value: Any) -> None:
    def outcome(library: Any) -> Any:
        try:
            return getattr(library.compat, function)(value)
        except TypeError as error:
            return str(error)

    assert outcome(tf) == outcome(oracle)
    assert type(outcome(tf)) is type(outcome(oracle))


@pytest.mark.parametrize("kind", ["integral_types", "real_types", "complex_types"])
@pytest.mark.parametrize("value", [1, 1.0, 1j, True, "1", np.int8(1), np.float16(1)])
def test_number_types(kind: str, value: Any) -> None:
    ours, theirs = getattr(tf.compat, kind), getattr(oracle.compat, kind)
    assert isinstance(value, ours) == isinstance(value, theirs)


def test_the_library_is_version_1() -> None:
    assert tf.compat.v1 is tf
    tf.disable_v2_behavior()
    tf.disable_eager_execution()
    tf.disable_control_flow_v2()
    tf.disable_tensor_equality()
    tf.disable_v2_tensorshape()
    assert not tf.executing_eagerly()
    assert not tf.executing_eagerly_outside_functions()
    assert not tf.control_flow_v2_enabled()
    for enable in (
        tf.enable_v2_behavior,
        tf.enable_eager_execution,
        tf.enable_tensor_equality,
        tf.enable_v2_tensorshape,
    ):
        with pytest.raises(NotImplementedError, match="TensorFlow 1 programs"):
            enable()


def test_values_known_without_a_session() -> None:
    def program(library: Any) -> list[Any]:
        with library.Graph().as_default():
            x = library.placeholder(library.int32, [])
            variable = library.Variable(1)
            slices = library.IndexedSlices(library.constant([1]), library.constant([0]))
            asked = [
                library.get_static_value(library.shape(library.zeros([2, 3]))),
                library.get_static_value(x),
                library.get_static_value([1]),
                library.get_static_value(library.stack([1, x, 3])),
                library.get_static_value(library.stack([1, x, 3]), partial=True),
                library.get_static_value(library.stack([x, x]), partial=True),
                library.get_static_value(
                    library.stack([[1, 2], library.fill([2], x)]), partial=True
                ),
                library.get_static_value(
                    library.stack([[1, 2], library.fill([2], x)], axis=1), partial=True
                ),
                library.get_static_value(variable),
                library.dimension_value(library.Dimension(3)),
                library.dimension_value(4),
                library.dimension_at_index(library.TensorShape([2, 5]), 1).value,
            ]
            kinds = [library.is_tensor(y) for y in (x, variable, slices, 3, [x], np.ones(2))]
        return [repr(value) for value in asked] + kinds

    assert program(tf) == program(oracle)


def test_the_only_replica() -> None:
    def merged(strategy: object, x: int, y: int) -> int:
        return x + y if strategy is tf.distribute.get_strategy() else 0

    assert tf.distribute.get_replica_context().merge_call(merged, (1,), {"y": 2}) == 3
    assert not tf.distribute.has_strategy() and not tf.distribute.in_cross_replica_context()
