"""Estimators of trees on gradients.

As in TensorFlow its modules have the names: `estimator` the estimators, `model` their functions.
"""

import typing as _typing

import dataflow.values.submodules as _submodules

if not _typing.TYPE_CHECKING:
    __getattr__, __dir__ = _submodules.on_demand(__name__, hidden=())
