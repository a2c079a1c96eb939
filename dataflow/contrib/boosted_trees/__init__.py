"""tf.contrib.boosted_trees: trees on gradients of examples, grown from accumulated statistics.

As in TensorFlow all names are in its modules: `estimator_batch.estimator` has the estimators.
"""

import typing as _typing

import dataflow.values.submodules as _submodules

_HIDDEN = (
    "calls",
    "choosing",
    "ensemble_variable",
    "features",
    "gbdt",
    "growing",
    "handlers",
    "hessians",
    "learner",
    "losses",
    "placing",
    "quantile_accumulator",
    "scheduled_ops",
    "stats_accumulator",
    "training_state",
)

if not _typing.TYPE_CHECKING:
    __getattr__, __dir__ = _submodules.on_demand(__name__, hidden=_HIDDEN)
