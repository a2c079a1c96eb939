"""What export_utils and export_output make of tensors, beside TensorFlow's modules."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.python.saved_model.model_utils import export_output, export_utils, mode_keys

import dataflow as tf
from dataflow.estimation import export_outputs, export_signatures

OURS = (tf, export_outputs, export_signatures, export_signatures)
THEIRS = (oracle, export_output, export_utils, mode_keys)
KINDS = ["train", "test", "eval", "predict", "infer"]


def _tensors(lib: Any) -> tuple[Any, Any, Any, Any]:
    loss = {"mine": lib.constant([1.0], name="loss"), "lossy": lib.constant(2.0, name="lossy")}
    predictions = {"classes": lib.constant(["a"], name="classes")}
    pair = lib.constant(3.0, name="value"), lib.constant(4.0, name="update")
    metrics = {"mean": pair, ("head", "auc"): (pair[0], lib.no_op())}
    return loss, predictions, metrics, lib.placeholder(lib.string, name="examples")


def _names(tensors: Any) -> Any:
    return tensors and {key: each.name for key, each in tensors.items()}


def _wrapped(lib: Any, outputs: Any, utils: Any, modes: Any) -> Any:
    loss, predictions, metrics, _ = _tensors(lib)
    whole = outputs.EvalOutput(loss, predictions, metrics)
    single = outputs.TrainOutput(loss["mine"], predictions["classes"], metrics["mean"])
    bare = outputs.TrainOutput(loss)
    several = outputs.PredictOutput({("head", "logits"): loss["mine"]})
    parts = [
        _names(part)
        for each in (whole, single, bare)
        for part in (each.loss, each.predictions, each.metrics)
    ]
    return parts, _names(several.outputs), whole._get_signature_def_fn() is not None


def _signatures(lib: Any, outputs: Any, utils: Any, modes: Any) -> Any:
    loss, predictions, metrics, examples = _tensors(lib)
    heads = {
        "classes": outputs.ClassificationOutput(classes=predictions["classes"]),
        None: outputs.PredictOutput(loss),
        "training": outputs.TrainOutput(loss, predictions, metrics),
    }
    count = lib.placeholder(lib.int64, name="count")
    fed = [(examples, None), ({"n": count}, {"raw": {"x": examples}, None: count})]
    return [
        {
            name: (each.method_name, sorted(each.inputs), sorted(each.outputs))
            for name, each in utils.build_all_signature_defs(
                receivers, heads, others, serving_only=serving
            ).items()
        }
        for receivers, others in fed
        for serving in (True, False)
    ]


def _by_mode(lib: Any, outputs: Any, utils: Any, modes: Any) -> Any:
    loss, predictions, metrics, _ = _tensors(lib)
    found = {}
    for mode in KINDS:
        made = utils.export_outputs_for_mode(mode, None, predictions, loss, metrics)
        shown = {key: type(each).__name__ for key, each in made.items()}
        tests = modes.is_train(mode), modes.is_eval(mode), modes.is_predict(mode)
        found[mode] = shown, utils.EXPORT_TAG_MAP[mode], utils.SIGNATURE_KEY_MAP[mode], tests
    table = modes.ModeKeyMap(predict=1, eval=2)
    given = utils.get_export_outputs({"mine": outputs.PredictOutput(loss)}, None)
    return found, [*table], len(table), table["infer"], table["test"], sorted(given)


@pytest.mark.parametrize("check", [_wrapped, _signatures, _by_mode])
def test_as_tensorflow(check: Any) -> None:
    results = []
    for modules in (OURS, THEIRS):
        with modules[0].Graph().as_default():
            results.append(check(*modules))
    assert results[0] == results[1]


BAD: dict[str, Any] = {
    "a value that is no tensor": lambda lib, o, u, m: o.EvalOutput(metrics={"a": (1, lib.no_op())}),
    "an update that is nothing": lambda lib, o, u, m: o.EvalOutput(metrics=(lib.constant(1), 3)),
    "a loss that is no tensor": lambda lib, o, u, m: o.TrainOutput(3),
    "a loss without name": lambda lib, o, u, m: o.TrainOutput({3: lib.constant(1)}),
    "predictions of numbers": lambda lib, o, u, m: o.PredictOutput({"a": 1}),
    "no mode": lambda lib, o, u, m: u.export_outputs_for_mode("fit"),
    "no mode in a map": lambda lib, o, u, m: m.ModeKeyMap(train=1, fit=2),
    "a mode twice": lambda lib, o, u, m: m.ModeKeyMap(infer=1, predict=2),
}


@pytest.mark.parametrize("case", BAD)
def test_refusals(case: str) -> None:
    texts = []
    for modules in (OURS, THEIRS):
        with modules[0].Graph().as_default(), pytest.raises(ValueError) as caught:
            BAD[case](*modules)
        texts.append(str(caught.value))
    assert texts[0] == texts[1]


def test_folders(tmp_path: Path) -> None:
    path = export_signatures.get_timestamped_export_dir(str(tmp_path))
    parent, name = os.path.split(path)
    assert parent == os.fsencode(tmp_path) and int(name) > 10**9
    assert export_signatures.get_temp_export_dir(path) == os.path.join(parent, b"temp-" + name)
