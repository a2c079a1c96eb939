"""What TensorFlow 1 had in `tf.contrib`: each part in a package of its own, loaded when it is
touched. It may import every room of the front end; nothing of the core imports it."""

import typing as _typing

import dataflow.values.submodules as _submodules

if not _typing.TYPE_CHECKING:
    __getattr__, __dir__ = _submodules.on_demand(__name__, hidden=())
