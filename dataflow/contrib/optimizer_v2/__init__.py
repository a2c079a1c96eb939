"""tf.contrib.optimizer_v2: the optimizers of tf.train, by the names that they have there."""

import dataflow.training.optimizer as _optimizer
from dataflow.training.adadelta import (
    AdadeltaOptimizer as AdadeltaOptimizer,
)
from dataflow.training.adagrad import (
    AdagradOptimizer as AdagradOptimizer,
)
from dataflow.training.adam import (
    AdamOptimizer as AdamOptimizer,
)
from dataflow.training.gradient_descent import (
    GradientDescentOptimizer as GradientDescentOptimizer,
)
from dataflow.training.momentum import (
    MomentumOptimizer as MomentumOptimizer,
)
from dataflow.training.rmsprop import (
    RMSPropOptimizer as RMSPropOptimizer,
)

OptimizerV2 = _optimizer.Optimizer
