"""A program on tf.keras, which runs on either library and tells what it finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

_RANDOM = np.random.RandomState(0)
X = _RANDOM.rand(20, 4).astype("f")
Y = _RANDOM.rand(20, 2).astype("f")
CLASSES = _RANDOM.randint(0, 3, 20)
WORDS = _RANDOM.randint(0, 6, (20, 5))
IMAGES = _RANDOM.rand(3, 8, 8, 2).astype("f")
STEPS = _RANDOM.rand(3, 7, 2).astype("f")


def _set_weights(model: Any) -> None:
    """Numbers that depend on nothing but the shapes."""
    random = np.random.RandomState(1)
    shapes = [each.shape.as_list() for each in model.weights]
    model.set_weights([(random.rand(*shape) * 0.6 - 0.2).astype("f") for shape in shapes])


def _told(value: Any) -> Any:
    return np.asarray(value, np.float64).round(5).tolist()


def _functional(keras: Any, tf: Any) -> Any:
    """Two inputs, masks, recurrence in a row, two outputs with losses, weights and metrics."""
    layers = keras.layers
    words, numbers = layers.Input((5,), name="words"), layers.Input((4,), name="numbers")
    x = layers.Embedding(6, 3, mask_zero=True, name="table")(words)
    x = layers.LSTM(4, return_sequences=True, name="first")(x)
    x = layers.GRU(3, reset_after=False, name="second")(x)
    x = layers.concatenate([x, numbers])
    likely = layers.Dense(3, activation="softmax", name="likely", kernel_regularizer="l2")(x)
    amount = layers.Dense(2, name="amount", kernel_constraint="nonneg")(x)
    model = keras.Model([words, numbers], [likely, amount])
    _set_weights(model)
    model.compile(
        keras.optimizers.SGD(0.1, momentum=0.9),
        {"likely": "sparse_categorical_crossentropy", "amount": "mse"},
        metrics={"likely": "accuracy", "amount": ["mse"]},
        loss_weights=[1.0, 0.5],
    )
    history = model.fit(
        {"words": WORDS, "numbers": X},
        [CLASSES, Y],
        epochs=2,
        batch_size=8,
        shuffle=False,
        verbose=0,
        sample_weight={"likely": np.linspace(0, 1, 20)},
        validation_data=([WORDS, X], [CLASSES, Y]),
    ).history
    return {
        "names": [each.name for each in model.weights],
        # The losses of single outputs are left out: TensorFlow reads them while it adds to them.
        "history": {
            k.replace("accuracy", "acc"): _told(v)
            for k, v in history.items()
            if not k.endswith(("likely_loss", "amount_loss"))
        },
        "predictions": [_told(each) for each in model.predict([WORDS, X], batch_size=7)],
        "evaluated": _told(model.evaluate([WORDS, X], [CLASSES, Y], verbose=0)[::3]),
        "weights": [_told(np.sum(each)) for each in model.get_weights()],
    }


def _row(keras: Any, layers: list[Any], inputs: Any) -> Any:
    model = keras.Sequential(layers)
    _set_weights(model)
    again = keras.Sequential.from_config(model.get_config())
    again.set_weights(model.get_weights())
    return {
        "names": [each.name for each in model.weights],
        "shapes": [list(each.output_shape) for each in model.layers],
        "output": _told(model.predict(inputs)),
        "again": _told(again.predict(inputs)),
    }


def _images(keras: Any, tf: Any) -> Any:
    """Layers of images, one behind the other."""
    layers = keras.layers
    return _row(
        keras,
        [
            layers.Conv2D(4, 3, padding="same", activation="relu", input_shape=(8, 8, 2)),
            layers.MaxPooling2D(),
            layers.DepthwiseConv2D(3),
            layers.SeparableConv2D(3, 2, padding="same"),
            layers.Conv2DTranspose(2, 3, strides=2, padding="same"),
            layers.UpSampling2D(),
            layers.ZeroPadding2D(((1, 2), (0, 1))),
            layers.Cropping2D(1),
            layers.GlobalAveragePooling2D(),
            layers.Dense(2),
        ],
        IMAGES,
    )


def _sequences(keras: Any, tf: Any) -> Any:
    """Layers of sequences, one behind the other."""
    layers = keras.layers
    return _row(
        keras,
        [
            layers.Conv1D(4, 3, padding="causal", dilation_rate=2, input_shape=(7, 2)),
            layers.PReLU(),
            layers.AveragePooling1D(2),
            layers.LeakyReLU(),
            layers.GRU(3, return_sequences=True, reset_after=True, go_backwards=True),
            layers.RNN([layers.LSTMCell(3), layers.SimpleRNNCell(4)], return_sequences=True),
            layers.Permute((2, 1)),
            layers.ELU(0.5),
            layers.Flatten(),
            layers.RepeatVector(2),
            layers.SimpleRNN(4, unroll=True),
            layers.Reshape((2, 2)),
            layers.Softmax(axis=1),
        ],
        STEPS,
    )


def _films(keras: Any, tf: Any) -> Any:
    """LSTM of images: strides, dilation, states that are given and kept, masks."""
    layers, found = keras.layers, []
    films = np.random.RandomState(3).rand(2, 4, 6, 7, 3).astype("f")
    for options in (
        {"padding": "same", "return_sequences": True, "strides": 2},
        {"dilation_rate": (2, 1), "use_bias": False, "return_state": True, "go_backwards": True},
        {"stateful": True, "unit_forget_bias": False},
    ):
        inputs = layers.Input(batch_shape=(2, 4, 6, 7, 3))
        layer = layers.ConvLSTM2D(3, (3, 2), **options)
        outputs = layer(inputs)
        model = keras.Model(inputs, outputs)
        _set_weights(model)
        # Twice, for states that are kept.
        for made in [model.predict(films), model.predict(films)]:
            found += [_told(each) for each in (made if isinstance(made, list) else [made])]
        config = layer.get_config()
        found.append([*config["strides"], *config["dilation_rate"], config["stateful"]])
    return found


def _between_layers(keras: Any, tf: Any) -> Any:
    """Operations between layers, a model in a model, and one layer on two tensors."""
    layers = keras.layers
    inner = keras.Sequential([layers.Dense(3, input_dim=4, name="inside")], name="inner")
    first, second = layers.Input((4,)), layers.Input((4,))
    one, two = inner(first), inner(second)
    x = layers.Multiply()([layers.Dot(1, normalize=True)([one, two]), layers.Add()([one, two])])
    x = tf.nn.relu(x * 2.0 + 1.0) - first[:, :3]
    model = keras.Model([first, second], layers.Dense(1, name="end")(x))
    _set_weights(model)
    clone = keras.models.clone_model(model)
    clone.set_weights(model.get_weights())
    values = [X, X[::-1]]
    return [_told(each.predict(values)) for each in (model, clone)]


def _optimizers(keras: Any, tf: Any) -> Any:
    """Some steps of each optimizer, on a table and a matrix."""
    layers, found = keras.layers, {}
    optimizers = keras.optimizers
    for label, make in {
        "sgd": lambda: optimizers.SGD(0.1, clipnorm=0.5, decay=0.1),
        "nesterov": lambda: optimizers.SGD(0.1, momentum=0.9, nesterov=True),
        "adam": lambda: optimizers.Adam(0.01),
        "amsgrad": lambda: optimizers.Adam(0.01, amsgrad=True),
        "adamax": lambda: optimizers.Adamax(0.01),
        "nadam": lambda: optimizers.Nadam(0.01),
        "rmsprop": lambda: optimizers.RMSprop(0.01, clipvalue=0.01),
        "centered": lambda: optimizers.RMSprop(0.01, momentum=0.5, centered=True),
        "adagrad": lambda: optimizers.Adagrad(0.1),
        "adadelta": lambda: optimizers.Adadelta(0.5),
        "ftrl": lambda: optimizers.Ftrl(0.1),
    }.items():
        numbers, words = layers.Input((4,)), layers.Input((5,))
        rows = layers.Flatten()(layers.Embedding(6, 2)(words))
        model = keras.Model([numbers, words], layers.Dense(2)(layers.concatenate([numbers, rows])))
        _set_weights(model)
        optimizer = make()
        model.compile(optimizer, "mse")
        losses = [model.train_on_batch([X, WORDS], Y) for _ in range(3)]
        config = {
            k: v for k, v in optimizer.get_config().items() if isinstance(v, (float, np.floating))
        }
        found[label] = [_told(losses), [_told(w.sum()) for w in model.get_weights()]]
        found[f"{label} config"] = {k: _told(v) for k, v in config.items() if k != "beta"}
    return found


def _losses(keras: Any, tf: Any) -> Any:
    """Losses and metrics by their names."""
    true = (X[:6, :3] > 0.5).astype("f")
    likely = X[6:12, :3] / X[6:12, :3].sum(1, keepdims=True)
    weights = np.array([1.0, 2.0, 0.0, 1.0, 1.0, 3.0], np.float32)
    found: dict[str, Any] = {}
    session = tf.Session()
    names = """mse mae mape msle squared_hinge hinge categorical_hinge kld poisson
        binary_crossentropy categorical_crossentropy"""
    for name in names.split():
        loss = getattr(keras.losses, name)(tf.constant(true), tf.constant(likely))
        found[name] = _told(session.run(loss))
    for name in ["MeanSquaredError", "BinaryCrossentropy", "CategoricalCrossentropy", "LogCosh"]:
        loss = getattr(keras.losses, name)()
        args = tf.constant(true), tf.constant(likely)
        found[name] = _told(session.run(loss(*args, sample_weight=tf.constant(weights))))
    m = keras.metrics
    for label, metric in {
        "auc": m.AUC(num_thresholds=9),
        "pr": m.AUC(num_thresholds=9, curve="PR"),
        "precision": m.Precision(),
        "top": m.Precision(top_k=2),
        "recall": m.Recall([0.2, 0.5]),
        "positives": m.TruePositives(),
        "root": m.RootMeanSquaredError(),
        "binary": m.BinaryAccuracy(),
        "categorical": m.CategoricalAccuracy(),
        "error": m.MeanSquaredError(),
    }.items():
        update = metric.update_state(
            tf.constant(true), tf.constant(likely), sample_weight=tf.constant(weights)
        )
        result = metric.result()
        session.run([each.initializer for each in metric.variables])
        session.run(update)
        session.run(update)
        found[label] = _told(session.run(result))
    return found


PARTS: dict[str, Callable[[Any, Any], Any]] = {
    "functional": _functional,
    "images": _images,
    "sequences": _sequences,
    "films": _films,
    "between": _between_layers,
    "optimizers": _optimizers,
    "losses": _losses,
}


def results(keras: Any, tf: Any, parts: Any = PARTS) -> dict[str, Any]:
    """What each part finds, in a graph of its own."""
    found = {}
    for name in parts:
        keras.backend.clear_session()
        found[name] = PARTS[name](keras, tf)
    return found
