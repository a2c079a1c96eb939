"""Strategies of exports, and signatures, as TensorFlow 1.15 has them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import learn
from dataflow.contrib.layers.targets import ProblemType
from dataflow.contrib.learn.utils import best_models, kept_exports, signatures

X = np.ones((4, 3), np.float32)


def products(features: Any, labels: Any, mode: str) -> Any:
    weights = tf.get_variable("w", [3, 1], initializer=tf.ones_initializer())
    found = tf.matmul(features["x"], weights)
    loss = tf.reduce_mean(found)
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return {"p": found}, loss, step


def served() -> learn.InputFnOps:
    x = tf.placeholder(tf.float32, [None, 3])
    return learn.InputFnOps({"x": x}, None, {"x": x})


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Any:
    model = learn.Estimator(products, str(tmp_path_factory.mktemp("model")))
    model.fit(input_fn=lambda: ({"x": tf.constant(X)}, tf.constant(X)), steps=1)
    return model


def test_only_better_models_are_exported(trained: Any, tmp_path: Path) -> None:
    strategy = best_models.make_best_model_export_strategy(served)
    assert strategy.name == "best_model"
    first = strategy.export(trained, str(tmp_path), None, {"loss": 2.0})
    assert os.path.dirname(os.fsdecode(first)) == str(tmp_path / "model.ckpt-1")
    checkpoint = trained.latest_checkpoint()
    assert strategy.export(trained, str(tmp_path), checkpoint, {"loss": 2.5}) == ""
    assert strategy.export(trained, str(tmp_path), checkpoint, {"loss": 2.0}) == ""


def test_results_of_earlier_runs(tmp_path: Path) -> None:
    with tf.summary.FileWriter(str(tmp_path / "eval")) as writer:
        for step, loss in enumerate((3.0, 1.0, 2.0)):
            value = tf.Summary.Value(tag="loss", simple_value=loss)
            writer.add_summary(tf.Summary(value=[value]), step)
    selector = best_models.BestModelSelector(str(tmp_path / "*" / "*tfevents*"))
    assert selector.update("a", {"loss": 1.5}) == ("", None)
    assert selector.update("b", {"loss": 0.5}) == ("b", {"loss": 0.5})
    most = best_models.BestModelSelector(None, lambda best, other: other["n"] > best["n"])
    assert [most.update(str(n), {"n": n})[0] for n in (1, 0, 3)] == ["1", "", "3"]
    refused: list[tuple[Callable[[], Any], str]] = [
        (lambda: selector.update("", {"loss": 1}), "Checkpoint path is empty."),
        (lambda: selector.update("c", None), "c has empty evaluation results."),
        (lambda: selector.update("c", {}), "cand_eval_result cannot be empty or no loss"),
        (
            lambda: [
                best_models.BestModelSelector().update(name, {"n": 1}),
                (selector := best_models.BestModelSelector()).update(name, {"n": 1}),
                selector.update(name, {"loss": 1}),
            ],
            "curr_best_eval_result cannot be empty or no loss",
        ),
    ]
    name = "d"
    for make, text in refused:
        with pytest.raises(ValueError, match=text):
            make()


def test_an_export_is_changed_by_another_function(trained: Any, tmp_path: Path) -> None:
    def change(exported: Any, folder: str) -> str:
        target = os.path.join(folder, "changed")
        os.rename(exported, target)
        return target

    plain = learn.make_export_strategy(served)
    strategy = best_models.extend_export_strategy(plain, change, "mine")
    assert strategy.name == "mine"
    assert best_models.extend_export_strategy(plain, change).name == "Servo"
    found = strategy.export(trained, str(tmp_path))
    assert found == str(tmp_path / "changed") and os.listdir(tmp_path) == ["changed"]
    assert (tmp_path / "changed" / "saved_model.pb").exists()
    with pytest.raises(RuntimeError, match="Failed to obtain final export directory"):
        strategy.export(trained, str(tmp_path))
    elsewhere = best_models.extend_export_strategy(plain, lambda *_: "/elsewhere")
    with pytest.raises(ValueError, match="post_export_fn must return a sub-directory of"):
        elsewhere.export(trained, str(tmp_path / "b"))


def test_which_exports_stay(tmp_path: Path) -> None:
    for name in ("1000000001", "1000000003", "1000000002", "99", "notes"):
        (tmp_path / name).mkdir()
    newest = kept_exports.get_most_recent_export(str(tmp_path))
    assert newest is not None and newest.export_version == 1000000003
    kept_exports.garbage_collect_exports(str(tmp_path), None)
    assert len(os.listdir(tmp_path)) == 5
    kept_exports.garbage_collect_exports(str(tmp_path), 2)
    assert sorted(os.listdir(tmp_path)) == ["1000000002", "1000000003", "99", "notes"]
    kept_exports.garbage_collect_exports(str(tmp_path), 0)
    assert kept_exports.get_most_recent_export(str(tmp_path)) is None


def test_signatures_of_problems() -> None:
    build = signatures.build_standardized_signature_def
    with tf.Graph().as_default():
        text = {"any": tf.placeholder(tf.string, [None], name="text")}
        number = tf.placeholder(tf.float32, [None], name="number")
        chances = tf.placeholder(tf.float32, [None, 2], name="chances")
        named = tf.placeholder(tf.string, [None], name="named")
        numbered = tf.placeholder(tf.int64, [None], name="numbered")
        cases: list[tuple[Any, Any, str, dict[str, str]]] = [
            (
                {"classes": named, "probabilities": chances},
                ProblemType.CLASSIFICATION,
                "classify",
                {"classes": "named:0", "scores": "chances:0"},
            ),
            (
                {"classes": numbered, "scores": chances, "probabilities": number},
                ProblemType.LOGISTIC_REGRESSION,
                "classify",
                {"scores": "chances:0"},
            ),
            ({"a": named}, ProblemType.CLASSIFICATION, "classify", {"classes": "named:0"}),
            ({"a": number}, ProblemType.CLASSIFICATION, "classify", {"scores": "number:0"}),
            ({"a": number}, ProblemType.LINEAR_REGRESSION, "regress", {"outputs": "number:0"}),
            (
                {"a": number, "b": named},
                ProblemType.CLASSIFICATION,
                "predict",
                {"a": "number:0", "b": "named:0"},
            ),
            (
                {"a": number, "b": named},
                ProblemType.LINEAR_REGRESSION,
                "predict",
                {"a": "number:0", "b": "named:0"},
            ),
            ({"a": number}, ProblemType.UNSPECIFIED, "predict", {"a": "number:0"}),
        ]
        for outputs, problem, method, expected in cases:
            made = build(text, outputs, problem)
            assert made.method_name == f"tensorflow/serving/{method}"
            assert {key: each.name for key, each in made.outputs.items()} == expected
            name = "any" if method == "predict" else "inputs"
            assert made.inputs[name].name == "text:0"
        two = {"a": text["any"], "b": named}
        assert build(two, {"a": number}, 3).method_name == "tensorflow/serving/predict"
        for given, text_of_error in (
            (({}, {"a": number}, 0), "input_tensors must be provided."),
            ((two, {}, 0), "output_tensors must be provided."),
        ):
            with pytest.raises(ValueError, match=text_of_error):
                build(*given)


def test_alternatives() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.string, [None], name="x")
        found, features = signatures.get_input_alternatives(
            learn.InputFnOps({"f": x}, None, {"d": x})
        )
        assert found == {"default_input_alternative": {"d": x}} and features == {"f": x}
        assert signatures.get_input_alternatives(({"f": x}, None))[0] == {}
        with pytest.raises(ValueError, match="Features must be defined"):
            signatures.get_input_alternatives(({}, None))
        number = tf.placeholder(tf.float32, [None], name="n")
        plain = learn.ModelFnOps("infer", number)
        outputs, key = signatures.get_output_alternatives(plain)
        assert key == "default_output_alternative"
        assert outputs == {key: (ProblemType.UNSPECIFIED, {"output": number})}
        heads: Any = {name: (ProblemType.LINEAR_REGRESSION, {"s": number}) for name in "ab"}
        two = plain._replace(output_alternatives=heads)
        assert signatures.get_output_alternatives(two, "b") == (heads, "b")
        one = plain._replace(output_alternatives={None: heads["a"]})
        assert signatures.get_output_alternatives(one)[1] is None
        made = signatures.build_all_signature_defs(found, one.output_alternatives, None)
        assert sorted(made) == ["default_input_alternative:None", "serving_default"]
        assert made["serving_default"].method_name == "tensorflow/serving/regress"
        refused: list[tuple[Callable[[], Any], str]] = [
            (
                lambda: signatures.get_output_alternatives(plain, "a"),
                r"Requested default_output_alternative: a, but available .* are: \[\]",
            ),
            (
                lambda: signatures.get_output_alternatives(two, "c"),
                r"Requested default_output_alternative: c, .* are: \['a', 'b'\]",
            ),
            (
                lambda: signatures.get_output_alternatives(two),
                "Please specify a default_output_alternative.",
            ),
            (
                lambda: signatures.build_all_signature_defs({}, heads, "a"),
                "A default input_alternative must be provided.",
            ),
        ]
        for make, text in refused:
            with pytest.raises(ValueError, match=text):
                make()
