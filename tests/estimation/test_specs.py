"""EstimatorSpec, TrainSpec, EvalSpec: what they hold and refuse."""

from __future__ import annotations

from typing import Any

import pytest

import dataflow as tf

Spec = tf.estimator.EstimatorSpec
TRAIN, EVAL, PREDICT = (
    tf.estimator.ModeKeys.TRAIN,
    tf.estimator.ModeKeys.EVAL,
    tf.estimator.ModeKeys.PREDICT,
)


def test_modes() -> None:
    assert (TRAIN, EVAL, PREDICT) == ("train", "eval", "infer")


def test_fields() -> None:
    with tf.Graph().as_default():
        loss, train_op = tf.constant([3.0]), tf.no_op()
        hook = tf.train.SessionRunHook()
        spec = Spec(TRAIN, loss=loss, train_op=train_op, training_hooks=[hook])
        assert spec._fields == (
            "mode",
            "predictions",
            "loss",
            "train_op",
            "eval_metric_ops",
            "export_outputs",
            "training_chief_hooks",
            "training_hooks",
            "scaffold",
            "evaluation_hooks",
            "prediction_hooks",
        )
        # A loss of one element becomes a scalar.
        assert spec.loss.shape.rank == 0
        assert spec.predictions == {}
        assert spec.eval_metric_ops == {}
        assert spec.training_hooks == (hook,)
        assert isinstance(spec.scaffold, tf.train.Scaffold)
        assert spec._replace(predictions=loss).predictions is loss
        with pytest.raises(ValueError, match="mode of EstimatorSpec cannot be changed"):
            spec._replace(mode=EVAL)
        with pytest.raises(ValueError, match="Got unexpected field names"):
            spec._replace(other=1)


def test_the_default_signature() -> None:
    with tf.Graph().as_default():
        value = tf.constant([1.0])
        exported = Spec(PREDICT, predictions={"a": value}).export_outputs
        assert exported["serving_default"].outputs == {"a": value}
        output = tf.estimator.export.PredictOutput(value)
        exported = Spec(PREDICT, value, export_outputs={"mine": output}).export_outputs
        assert exported == {"mine": output, "serving_default": output}
        with pytest.raises(ValueError, match="none of them is specified as the default"):
            Spec(PREDICT, value, export_outputs={"a": output, "b": output})


def test_refusals() -> None:
    with tf.Graph().as_default():
        other = tf.constant(1.0, name="other")
    with tf.Graph().as_default():
        loss, op = tf.constant(1.0), tf.no_op()
        cases: list[tuple[type[Exception], str, dict[str, Any]]] = [
            (ValueError, "Missing train_op.", {"mode": TRAIN, "loss": loss}),
            (ValueError, "Missing loss.", {"mode": TRAIN, "train_op": op}),
            (ValueError, "Missing loss.", {"mode": EVAL}),
            (ValueError, "Missing predictions.", {"mode": PREDICT}),
            (
                TypeError,
                "train_op must be Operation or Tensor, given: 3",
                {"mode": TRAIN, "loss": loss, "train_op": 3},
            ),
            (TypeError, "loss must be Tensor, given: 3", {"mode": EVAL, "loss": 3}),
            (
                ValueError,
                "Loss must be scalar, given:",
                {"mode": EVAL, "loss": tf.constant([1.0, 2.0])},
            ),
            (
                TypeError,
                r"predictions\[a\] must be Tensor, given: 3",
                {"mode": PREDICT, "predictions": {"a": 3}},
            ),
            (
                TypeError,
                "eval_metric_ops must be a dict, given:",
                {"mode": EVAL, "loss": loss, "eval_metric_ops": [loss]},
            ),
            (
                TypeError,
                "Values of eval_metric_ops must be .metric_value, update_op. tuples, given: ",
                {"mode": EVAL, "loss": loss, "eval_metric_ops": {"a": loss}},
            ),
            (
                TypeError,
                "`export_outputs` must be dict",
                {"mode": PREDICT, "predictions": loss, "export_outputs": [1]},
            ),
            (
                TypeError,
                "Values in `export_outputs` must be ExportOutput objects",
                {"mode": PREDICT, "predictions": loss, "export_outputs": {"a": 1}},
            ),
            (
                TypeError,
                "All hooks must be SessionRunHook instances, given: 1",
                {"mode": PREDICT, "predictions": loss, "prediction_hooks": [1]},
            ),
            (
                TypeError,
                "scaffold must be tf.train.Scaffold. Given: 1",
                {"mode": PREDICT, "predictions": loss, "scaffold": 1},
            ),
            (
                ValueError,
                'other:0 with "loss" must be from the default graph',
                {"mode": EVAL, "loss": other},
            ),
        ]
        for error, text, arguments in cases:
            with pytest.raises(error, match=text):
                Spec(**arguments)


def test_train_and_eval_specs() -> None:
    train = tf.estimator.TrainSpec(lambda: 1, max_steps=3)
    assert (train.max_steps, train.hooks, train.saving_listeners) == (3, (), ())
    spec = tf.estimator.EvalSpec(lambda: 1)
    assert (spec.steps, spec.start_delay_secs, spec.throttle_secs) == (100, 120, 600)
    for error, text, make in (
        (TypeError, "`input_fn` must be callable, given: 1", lambda: tf.estimator.TrainSpec(1)),
        (
            ValueError,
            "Must specify max_steps > 0, given: 0",
            lambda: tf.estimator.TrainSpec(print, 0),
        ),
        (TypeError, "All hooks must be", lambda: tf.estimator.TrainSpec(print, hooks=[1])),
        (ValueError, "Must specify steps > 0", lambda: tf.estimator.EvalSpec(print, 0)),
        (TypeError, "`name` must be string", lambda: tf.estimator.EvalSpec(print, name=1)),
        (ValueError, "start_delay_secs >= 0", lambda: _eval(start_delay_secs=-1)),
        (ValueError, "throttle_secs >= 0", lambda: _eval(throttle_secs=-1)),
        (TypeError, "`exporters` must be an Exporter", lambda: _eval(exporters=1)),
        (ValueError, "must have unique names", lambda: _eval(exporters=[_final("a")] * 2)),
        (ValueError, "`None` or empty", lambda: _eval(exporters=[_final("")])),
    ):
        with pytest.raises(error, match=text):
            make()


def _eval(**arguments: Any) -> Any:
    return tf.estimator.EvalSpec(print, **arguments)


def _final(name: str) -> Any:
    return tf.estimator.FinalExporter(name, lambda: None)
