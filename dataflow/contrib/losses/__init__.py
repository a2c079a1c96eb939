"""tf.contrib.losses: losses with the predictions first, and losses of embeddings."""

from dataflow.contrib.losses import metric_learning as metric_learning
from dataflow.contrib.losses.classes_and_numbers import absolute_difference as absolute_difference
from dataflow.contrib.losses.classes_and_numbers import cosine_distance as cosine_distance
from dataflow.contrib.losses.classes_and_numbers import get_total_loss as get_total_loss
from dataflow.contrib.losses.classes_and_numbers import hinge_loss as hinge_loss
from dataflow.contrib.losses.classes_and_numbers import log_loss as log_loss
from dataflow.contrib.losses.classes_and_numbers import (
    mean_pairwise_squared_error as mean_pairwise_squared_error,
)
from dataflow.contrib.losses.classes_and_numbers import mean_squared_error as mean_squared_error
from dataflow.contrib.losses.classes_and_numbers import (
    sigmoid_cross_entropy as sigmoid_cross_entropy,
)
from dataflow.contrib.losses.classes_and_numbers import (
    softmax_cross_entropy as softmax_cross_entropy,
)
from dataflow.contrib.losses.classes_and_numbers import (
    sparse_softmax_cross_entropy as sparse_softmax_cross_entropy,
)
from dataflow.contrib.losses.weighing import add_loss as add_loss
from dataflow.contrib.losses.weighing import compute_weighted_loss as compute_weighted_loss
from dataflow.library.losses.collection import get_losses as get_losses
from dataflow.library.losses.collection import (
    get_regularization_losses as get_regularization_losses,
)
