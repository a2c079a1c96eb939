"""tf.metrics: values of what a model predicts that add up over steps."""

from dataflow.library.metrics.at_k import precision_at_k as precision_at_k
from dataflow.library.metrics.at_k import precision_at_top_k as precision_at_top_k
from dataflow.library.metrics.at_k import recall_at_k as recall_at_k
from dataflow.library.metrics.at_k import recall_at_top_k as recall_at_top_k
from dataflow.library.metrics.at_k import sparse_precision_at_k as sparse_precision_at_k
from dataflow.library.metrics.average_precision import (
    average_precision_at_k as average_precision_at_k,
)
from dataflow.library.metrics.average_precision import (
    sparse_average_precision_at_k as sparse_average_precision_at_k,
)
from dataflow.library.metrics.classes import mean_iou as mean_iou
from dataflow.library.metrics.classes import mean_per_class_accuracy as mean_per_class_accuracy
from dataflow.library.metrics.counts import false_negatives as false_negatives
from dataflow.library.metrics.counts import false_positives as false_positives
from dataflow.library.metrics.counts import precision as precision
from dataflow.library.metrics.counts import recall as recall
from dataflow.library.metrics.counts import true_negatives as true_negatives
from dataflow.library.metrics.counts import true_positives as true_positives
from dataflow.library.metrics.curves import auc as auc
from dataflow.library.metrics.curves import sensitivity_at_specificity as sensitivity_at_specificity
from dataflow.library.metrics.curves import specificity_at_sensitivity as specificity_at_sensitivity
from dataflow.library.metrics.errors_of_numbers import mean_absolute_error as mean_absolute_error
from dataflow.library.metrics.errors_of_numbers import mean_cosine_distance as mean_cosine_distance
from dataflow.library.metrics.errors_of_numbers import mean_relative_error as mean_relative_error
from dataflow.library.metrics.errors_of_numbers import mean_squared_error as mean_squared_error
from dataflow.library.metrics.errors_of_numbers import (
    root_mean_squared_error as root_mean_squared_error,
)
from dataflow.library.metrics.means import accuracy as accuracy
from dataflow.library.metrics.means import mean as mean
from dataflow.library.metrics.means import mean_tensor as mean_tensor
from dataflow.library.metrics.means import percentage_below as percentage_below
from dataflow.library.metrics.thresholds import (
    false_negatives_at_thresholds as false_negatives_at_thresholds,
)
from dataflow.library.metrics.thresholds import (
    false_positives_at_thresholds as false_positives_at_thresholds,
)
from dataflow.library.metrics.thresholds import precision_at_thresholds as precision_at_thresholds
from dataflow.library.metrics.thresholds import recall_at_thresholds as recall_at_thresholds
from dataflow.library.metrics.thresholds import (
    true_negatives_at_thresholds as true_negatives_at_thresholds,
)
from dataflow.library.metrics.thresholds import (
    true_positives_at_thresholds as true_positives_at_thresholds,
)
