"""The table of tf.keras: where the names of its public and internal modules are to be found."""

from __future__ import annotations

from typing import Final

KERAS_VERSION: Final = "2.2.4-tf"
"""Of Keras, as TensorFlow 1.15 has it."""

_HOME: Final = "dataflow.keras"
_SPELLINGS: Final = "dataflow.porting.spellings.keras"
_ROOTS: Final = (
    "tensorflow.compat.v1.keras",
    "tensorflow.compat.v2.keras",
    "tensorflow.contrib.keras",
    "tensorflow.contrib.keras.api.keras",
    "tensorflow.contrib.keras.python.keras",
    "tensorflow.keras",
    "tensorflow.python.keras",
    "tensorflow.python.keras.api.keras",
    "tensorflow.python.keras.api._v1.keras",
    "tensorflow.python.keras.api._v2.keras",
    "tensorflow.python.keras._impl.keras",
)
"""Where programs look for `tf.keras`."""

_PUBLIC: Final = (
    "activations applications backend callbacks constraints datasets estimator experimental "
    "initializers "
    "applications.densenet applications.imagenet_utils applications.inception_resnet_v2 "
    "applications.inception_v3 applications.mobilenet applications.mobilenet_v2 "
    "applications.nasnet applications.resnet applications.resnet50 applications.resnet_v2 "
    "applications.vgg16 applications.vgg19 applications.xception "
    "datasets.boston_housing datasets.cifar datasets.cifar10 datasets.cifar100 "
    "datasets.fashion_mnist datasets.imdb datasets.mnist datasets.reuters "
    "layers losses metrics mixed_precision models optimizers optimizers.schedules preprocessing "
    "preprocessing.image preprocessing.sequence preprocessing.text regularizers utils wrappers "
    "wrappers.scikit_learn"
)
_LAYERS: Final = (
    "advanced_activations convolutional convolutional_recurrent core cudnn_recurrent "
    "dense_attention embeddings local merge noise normalization normalization_v2 pooling recurrent "
    "recurrent_v2 serialization "
    "wrappers"
)
_UTILS: Final = (
    "conv_utils data_utils generic_utils io_utils layer_utils losses_utils multi_gpu_utils "
    "np_utils tf_utils vis_utils"
)
_OPTIMIZERS: Final = (
    "adadelta adagrad adam adamax ftrl gradient_descent learning_rate_schedule nadam optimizer_v2 "
    "rmsprop"
)


def _inside() -> dict[str, tuple[str, ...]]:
    """Path below `tensorflow.python.keras` -> modules that have its names."""
    layers, utils = (f"{_HOME}.layers",), (f"{_HOME}.utils", f"{_HOME}.objects")
    optimizers = (f"{_HOME}.optimizers", f"{_HOME}.optimizers.schedules")
    engine, mixed = f"{_HOME}.engine", f"{_HOME}.mixed_precision"
    return {
        **{name: (f"{_HOME}.{name}",) for name in _PUBLIC.split()},
        "callbacks_v1": (f"{_HOME}.callbacks",),
        "metrics": (f"{_HOME}.metrics", f"{_SPELLINGS}.clones"),
        "models": (f"{_HOME}.models", f"{_SPELLINGS}.clones"),
        "utils": utils,
        **{f"layers.{name}": layers for name in _LAYERS.split()},
        "layers.convolutional": (
            *(*layers, "dataflow.library.layers.convolution"),
            f"{_SPELLINGS}.former_layers",
        ),
        "layers.convolutional_recurrent": (*layers, f"{_HOME}.layers.recurrent.convolutional"),
        "layers.local": (*layers, f"{_SPELLINGS}.layers.windows"),
        "layers.merge": (*layers, f"{_HOME}.layers.merge"),
        "layers.recurrent_v2": (*layers, f"{_SPELLINGS}.layers.masks"),
        "layers.kernelized": (f"{_HOME}.layers.kernelized",),
        "layers.rnn_cell_wrapper_v2": (f"{_HOME}.layers.recurrent.wrapped",),
        "optimizers": (f"{_HOME}.optimizers", f"{_SPELLINGS}.former_optimizers"),
        "layers.recurrent": (
            *(*layers, f"{_HOME}.layers.recurrent.cells", f"{_HOME}.layers.recurrent.masks"),
            f"{_SPELLINGS}.states",
        ),
        **{f"utils.{name}": utils for name in _UTILS.split()},
        "utils.io_utils": (*utils, f"{_HOME}.saving.files"),
        "utils.tf_utils": (
            *utils,
            f"{_HOME}.backend.questions",
            f"{_HOME}.backend.tensors",
            f"{_SPELLINGS}.parts",
        ),
        "utils.conv_utils": (*utils, f"{_SPELLINGS}.lengths", f"{_SPELLINGS}.connections"),
        "utils.data_utils": (*utils, f"{_SPELLINGS}.files"),
        "utils.layer_utils": (*utils, f"{_SPELLINGS}.weights"),
        "utils.generic_utils": (
            *utils,
            f"{_SPELLINGS}.lengths",
            f"{_SPELLINGS}.codes",
            f"{_SPELLINGS}.batches",
        ),
        "utils.kernelized_utils": (f"{_SPELLINGS}.kernels",),
        "utils.metrics_utils": (f"{_SPELLINGS}.confusion", f"{_HOME}.metrics.kinds"),
        "utils.mode_keys": (f"{_SPELLINGS}.modes",),
        "utils.losses_utils": (*utils, f"{engine}.weighting", f"{_HOME}.losses"),
        **{f"optimizer_v2.{name}": optimizers for name in _OPTIMIZERS.split()},
        "backend_config": (f"{_HOME}.backend",),
        "engine": (_HOME, *layers, f"{engine}.network", f"{_HOME}.utils"),
        "engine.base_layer": (
            *(f"{engine}.base_layer", f"{engine}.op_layer", f"{engine}.ancillary"),
            *layers,
        ),
        "engine.base_layer_utils": (
            *(f"{engine}.base_layer", f"{engine}.history", f"{engine}.policy"),
            f"{_SPELLINGS}.calls",
            "dataflow.porting.spellings.decorators",
        ),
        "engine.input_layer": (f"{engine}.input_layer",),
        "engine.input_spec": layers,
        "engine.network": (f"{engine}.network", *utils),
        "engine.node": (f"{engine}.node",),
        "engine.sequential": (f"{engine}.sequential",),
        "engine.topology": (f"{engine}.network", *layers),
        "engine.training": (f"{engine}.training",),
        "engine.training_utils": (
            *(f"{_SPELLINGS}.standards", f"{engine}.data", f"{engine}.compiled"),
            *(f"{_SPELLINGS}.batches", f"{_SPELLINGS}.engine.aggregators"),
            *(f"{_SPELLINGS}.engine.sources", f"{_SPELLINGS}.engine.given"),
        ),
        "engine.data_adapter": (f"{_SPELLINGS}.engine.adapters",),
        "engine.training_generator": (f"{_SPELLINGS}.engine.sources",),
        "engine.training_arrays": (f"{_SPELLINGS}.engine.sources", f"{engine}.data"),
        "engine.saving": (f"{_HOME}.saving.hdf5", f"{_HOME}.models"),
        **{f"premade{part}": (f"{engine}.premade",) for part in ("", ".linear", ".wide_deep")},
        **{
            f"mixed_precision.experimental.{name}": (module, f"{mixed}.experimental")
            for name, module in (
                ("policy", f"{engine}.policy"),
                ("autocast_variable", f"{engine}.autocast"),
                ("loss_scale_optimizer", f"{_HOME}.optimizers.loss_scaling"),
            )
        },
        "mixed_precision.experimental": (f"{mixed}.experimental",),
        "saving": (f"{_HOME}.models",),
        "saving.hdf5_format": (f"{_HOME}.saving.hdf5",),
        "saving.model_config": (f"{_HOME}.models",),
        "saving.save": (f"{_HOME}.models",),
        **{
            f"saving.saved_model.{name}": (f"{_SPELLINGS}.engine.saved_models",)
            for name in ("constants", "load", "save")
        },
        "saving.saved_model_experimental": (f"{_HOME}.experimental",),
        "saving.saving_utils": (f"{_SPELLINGS}.saved",),
        "keras_parameterized": (f"{_SPELLINGS}.modes_of_tests",),
        "mixed_precision.experimental.test_util": (f"{_SPELLINGS}.gradients_of_tests",),
        "model_subclassing_test_util": (f"{_SPELLINGS}.subclasses_of_tests",),
        "testing_utils": (f"{_SPELLINGS}.models_of_tests",),
    }


def keras_sources() -> dict[str, tuple[str, ...]]:
    """Path -> the modules that are asked for its names."""
    paths = {f"{root}.{name}": sources for root in _ROOTS for name, sources in _inside().items()}
    for root in ("tensorflow.compat.v2.keras", "tensorflow.python.keras.api._v2.keras"):
        paths[f"{root}.layers"] = (f"{_SPELLINGS}.newer_layers", f"{_HOME}.layers")
    return {**paths, **dict.fromkeys(_ROOTS, (_HOME,))}
