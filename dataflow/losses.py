"""tf.losses: losses of what a model predicts."""

from dataflow.library.losses.classification import hinge_loss as hinge_loss
from dataflow.library.losses.classification import sigmoid_cross_entropy as sigmoid_cross_entropy
from dataflow.library.losses.classification import softmax_cross_entropy as softmax_cross_entropy
from dataflow.library.losses.classification import (
    sparse_softmax_cross_entropy as sparse_softmax_cross_entropy,
)
from dataflow.library.losses.collection import add_loss as add_loss
from dataflow.library.losses.collection import get_losses as get_losses
from dataflow.library.losses.collection import get_regularization_loss as get_regularization_loss
from dataflow.library.losses.collection import (
    get_regularization_losses as get_regularization_losses,
)
from dataflow.library.losses.collection import get_total_loss as get_total_loss
from dataflow.library.losses.regression import absolute_difference as absolute_difference
from dataflow.library.losses.regression import cosine_distance as cosine_distance
from dataflow.library.losses.regression import huber_loss as huber_loss
from dataflow.library.losses.regression import log_loss as log_loss
from dataflow.library.losses.regression import (
    mean_pairwise_squared_error as mean_pairwise_squared_error,
)
from dataflow.library.losses.regression import mean_squared_error as mean_squared_error
from dataflow.library.losses.weighted import Reduction as Reduction
from dataflow.library.losses.weighted import compute_weighted_loss as compute_weighted_loss
