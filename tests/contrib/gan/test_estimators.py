"""Estimators of two nets: trained, evaluated and asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import gan

MODES: list[str] = []


def generator(noise: Any, mode: str) -> Any:
    MODES.append(mode)
    return tf.layers.dense(noise["x"], 4, name="out")


def discriminator(data: Any, _: Any) -> Any:
    return tf.layers.dense(data, 1, name="logits")


def metrics(model: Any) -> dict[str, Any]:
    return {"mse": tf.metrics.mean_squared_error(model.real_data, model.generated_data)}


def estimator(folder: Path, **kwargs: Any) -> gan.estimator.GANEstimator:
    def optimizer() -> Any:
        return tf.train.GradientDescentOptimizer(
            tf.train.exponential_decay(0.1, tf.train.get_or_create_global_step(), 10, 0.9)
        )

    given: dict[str, Any] = {
        "generator_fn": generator,
        "discriminator_fn": discriminator,
        "generator_loss_fn": gan.losses.wasserstein_generator_loss,
        "discriminator_loss_fn": gan.losses.wasserstein_discriminator_loss,
        "generator_optimizer": optimizer,
        "discriminator_optimizer": tf.train.GradientDescentOptimizer(0.1),
        "get_eval_metric_ops_fn": metrics,
    }
    return gan.estimator.GANEstimator(str(folder), **(given | kwargs))


def data() -> Any:
    real = np.arange(12, dtype=np.float32).reshape(3, 4)
    return tf.data.Dataset.from_tensors(({"x": np.ones([3, 4], np.float32)}, real))


def test_train_evaluate_predict(tmp_path: Path) -> None:
    MODES.clear()
    kinds = gan.estimator.SummaryType
    model = estimator(tmp_path, add_summaries=kinds.VARIABLES)
    model.train(lambda: data().repeat(), steps=3)
    scores = model.evaluate(data)
    assert scores["global_step"] == 3
    assert scores["loss"] == pytest.approx(scores["generator_loss"] + scores["discriminator_loss"])
    made = np.array(list(model.predict(lambda: data().map(lambda x, _: x))))
    weights = [model.get_variable_value(f"Generator/out/{name}") for name in ("kernel", "bias")]
    np.testing.assert_allclose(made, np.ones([3, 4]) @ weights[0] + weights[1], rtol=1e-5)
    real = np.arange(12).reshape(3, 4)
    assert scores["mse"] == pytest.approx(np.mean((made - real) ** 2), rel=1e-5)
    assert MODES == ["train", "eval", "infer"]
    events = [
        value.tag
        for path in tmp_path.glob("events*")
        for event in tf.train.summary_iterator(str(path))
        for value in event.summary.value
    ]
    assert any(tag.startswith("generator_variables/Generator/out/kernel") for tag in events)
    with pytest.raises(ValueError, match="`labels` must be `None` when mode is `predict`"):
        gan_spec = model.model_fn
        with tf.Graph().as_default():
            gan_spec({"x": tf.ones([1, 4])}, tf.ones([1, 4]), "infer", None)


def test_warm_start(tmp_path: Path) -> None:
    """Variables that a checkpoint lacks are an error, unless a warm start leaves them out."""
    estimator(tmp_path).train(data, steps=1)

    def larger(noise: Any, mode: str) -> Any:
        tf.get_variable("new", initializer=[1, 2, 3])
        return generator(noise, mode)

    with pytest.raises(tf.errors.NotFoundError):
        estimator(tmp_path, generator_fn=larger).train(data, steps=1)
    settings = tf.estimator.WarmStartSettings(str(tmp_path), vars_to_warm_start="^(?!.*new).*$")
    warm = estimator(tmp_path / "warm", generator_fn=larger, warm_start_from=settings)
    np.testing.assert_array_equal(
        warm.train(data, steps=1).get_variable_value("Generator/new"), [1, 2, 3]
    )


def test_synchronised_optimizers_bring_hooks() -> None:
    def sync() -> Any:
        return tf.train.SyncReplicasOptimizer(
            tf.train.GradientDescentOptimizer(1.0), replicas_to_aggregate=1
        )

    with tf.Graph().as_default():
        tf.train.get_or_create_global_step()
        spec = estimator(
            Path("unused"), generator_optimizer=sync(), discriminator_optimizer=sync()
        ).model_fn({"x": tf.ones([3, 4])}, tf.zeros([3, 4]), "train", None)
    assert len(spec.training_hooks) == 4


@pytest.mark.parametrize(
    ("error", "text", "kwargs"),
    [
        (ValueError, "^generator_loss_fn must be callable", {"generator_loss_fn": 1}),
        (ValueError, "^discriminator_loss_fn must be callable", {"discriminator_loss_fn": 1}),
        (ValueError, "use_loss_summaries must be True, False or None", {"use_loss_summaries": 3}),
        (TypeError, "get_hooks_fn must be callable", {"get_hooks_fn": 1}),
    ],
)
def test_wrong_arguments(error: Any, text: str, kwargs: Any) -> None:
    with pytest.raises(error, match=text):
        estimator(Path("unused"), **kwargs)


def test_head() -> None:
    optimizer = tf.train.GradientDescentOptimizer(1.0)
    losses = gan.losses.wasserstein_generator_loss, gan.losses.wasserstein_discriminator_loss
    head = gan.estimator.gan_head(*losses, optimizer, optimizer, get_eval_metric_ops_fn=metrics,
                                  name="h")  # fmt: skip
    assert head.name == "h"
    with tf.Graph().as_default():
        model = gan.gan_model(
            lambda x: generator(x, "train"), discriminator, tf.zeros([3, 4]), {"x": tf.ones([3, 4])}
        )
        specs = [
            head.create_estimator_spec(None, mode, model) for mode in ("train", "eval", "infer")
        ]
        assert len(specs[0].training_hooks) == 2
        assert set(specs[1].eval_metric_ops) == {"generator_loss/h", "discriminator_loss/h", "mse"}
        assert specs[2].export_outputs["predict"].outputs == {"output": model.generated_data}
        for text, arguments in (
            ("`features` should be `None`", (1, "train", model)),
            ("`labels` must be `None`", (None, "train", model, 1)),
            ("must be an instnace of a `GANModel`", (None, "train", 1)),
            ("train_op_fn can not be None", (None, "train", model, None, None)),
            ("Mode not recognized: no", (None, "no", model)),
        ):
            with pytest.raises(ValueError, match=text):
                head.create_estimator_spec(*arguments)
    with pytest.raises(TypeError, match="name must be string"):
        gan.estimator.GANHead(*losses, optimizer, optimizer, name=1)  # type: ignore[arg-type]


def test_stargan(tmp_path: Path) -> None:
    """Trains, and makes images of the kinds that it is asked for; shows each image in all kinds."""

    def makes(images: Any, kinds: Any) -> Any:
        shade = tf.layers.dense(kinds, 3, name="shade")
        return images + shade[:, None, None]

    def tells(images: Any, kinds: int) -> Any:
        flat = tf.layers.flatten(images)
        return tf.layers.dense(flat, 1, name="source"), tf.layers.dense(flat, kinds, name="kind")

    optimizer = tf.train.GradientDescentOptimizer(0.01)
    kinds = gan.estimator.SummaryType
    model = gan.estimator.StarGANEstimator(
        str(tmp_path),
        makes,
        tells,
        lambda each: gan.stargan_loss(each, classification_one_hot=True),
        optimizer,
        lambda: optimizer,
        add_summaries=[kinds.VARIABLES, kinds.IMAGES],
    )
    images = np.zeros([2, 4, 4, 3], np.float32)
    labels = np.eye(2, dtype=np.float32)

    def both() -> Any:
        return tf.constant(images), tf.constant(labels)

    model.train(both, steps=2)
    assert set(model.evaluate(both, steps=1)) >= {"generator_loss", "discriminator_loss", "loss"}
    made = model.predict(gan.estimator.stargan_prediction_input_fn_wrapper(both))
    found = np.array([next(made) for _ in range(2)])
    made.close()
    shades = [model.get_variable_value(f"Generator/shade/{n}") for n in ("kernel", "bias")]
    np.testing.assert_allclose(found[:, 0, 0], labels @ shades[0] + shades[1], rtol=1e-5)
    shown = [
        value.image
        for path in tmp_path.glob("events*")
        for event in tf.train.summary_iterator(str(path))
        for value in event.summary.value
        if value.tag.startswith("stargan_image_generation")
    ]
    assert (shown[0].height, shown[0].width) == (4, 4 * 3)
    with pytest.raises(ValueError, match="loss_fn must be callable"):
        gan.estimator.StarGANEstimator(str(tmp_path), makes, tells)
