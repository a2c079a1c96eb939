"""tf.contrib.decision_trees: messages of trees, whatever has trained them."""

import dataflow.values.submodules as _submodules

__getattr__, __dir__ = _submodules.on_demand(__name__, hidden=())
