"""tf.contrib.metrics: metrics with the predictions first, and further ones."""

from dataflow.contrib.metrics.agreement import accuracy as accuracy
from dataflow.contrib.metrics.agreement import cohen_kappa as cohen_kappa
from dataflow.contrib.metrics.agreement import f1_score as f1_score
from dataflow.contrib.metrics.agreement import precision_at_recall as precision_at_recall
from dataflow.contrib.metrics.agreement import recall_at_precision as recall_at_precision
from dataflow.contrib.metrics.agreement import streaming_covariance as streaming_covariance
from dataflow.contrib.metrics.agreement import (
    streaming_pearson_correlation as streaming_pearson_correlation,
)
from dataflow.contrib.metrics.areas import auc_using_histogram as auc_using_histogram
from dataflow.contrib.metrics.areas import (
    auc_with_confidence_intervals as auc_with_confidence_intervals,
)
from dataflow.contrib.metrics.areas import streaming_dynamic_auc as streaming_dynamic_auc
from dataflow.contrib.metrics.collecting import aggregate_metric_map as aggregate_metric_map
from dataflow.contrib.metrics.collecting import aggregate_metrics as aggregate_metrics
from dataflow.contrib.metrics.collecting import count as count
from dataflow.contrib.metrics.collecting import streaming_concat as streaming_concat
from dataflow.contrib.metrics.points import (
    precision_recall_at_equal_thresholds as precision_recall_at_equal_thresholds,
)
from dataflow.contrib.metrics.points import streaming_curve_points as streaming_curve_points
from dataflow.contrib.metrics.points import streaming_recall_at_k as streaming_recall_at_k
from dataflow.contrib.metrics.points import (
    streaming_sparse_average_precision_at_top_k as streaming_sparse_average_precision_at_top_k,
)
from dataflow.contrib.metrics.streaming import sparse_recall_at_top_k as sparse_recall_at_top_k
from dataflow.contrib.metrics.streaming import streaming_accuracy as streaming_accuracy
from dataflow.contrib.metrics.streaming import streaming_auc as streaming_auc
from dataflow.contrib.metrics.streaming import (
    streaming_false_negative_rate as streaming_false_negative_rate,
)
from dataflow.contrib.metrics.streaming import (
    streaming_false_negative_rate_at_thresholds as streaming_false_negative_rate_at_thresholds,
)
from dataflow.contrib.metrics.streaming import (
    streaming_false_negatives as streaming_false_negatives,
)
from dataflow.contrib.metrics.streaming import (
    streaming_false_negatives_at_thresholds as streaming_false_negatives_at_thresholds,
)
from dataflow.contrib.metrics.streaming import (
    streaming_false_positive_rate as streaming_false_positive_rate,
)
from dataflow.contrib.metrics.streaming import (
    streaming_false_positive_rate_at_thresholds as streaming_false_positive_rate_at_thresholds,
)
from dataflow.contrib.metrics.streaming import (
    streaming_false_positives as streaming_false_positives,
)
from dataflow.contrib.metrics.streaming import (
    streaming_false_positives_at_thresholds as streaming_false_positives_at_thresholds,
)
from dataflow.contrib.metrics.streaming import streaming_mean as streaming_mean
from dataflow.contrib.metrics.streaming import (
    streaming_mean_absolute_error as streaming_mean_absolute_error,
)
from dataflow.contrib.metrics.streaming import (
    streaming_mean_cosine_distance as streaming_mean_cosine_distance,
)
from dataflow.contrib.metrics.streaming import streaming_mean_iou as streaming_mean_iou
from dataflow.contrib.metrics.streaming import (
    streaming_mean_relative_error as streaming_mean_relative_error,
)
from dataflow.contrib.metrics.streaming import (
    streaming_mean_squared_error as streaming_mean_squared_error,
)
from dataflow.contrib.metrics.streaming import streaming_mean_tensor as streaming_mean_tensor
from dataflow.contrib.metrics.streaming import (
    streaming_percentage_less as streaming_percentage_less,
)
from dataflow.contrib.metrics.streaming import streaming_precision as streaming_precision
from dataflow.contrib.metrics.streaming import (
    streaming_precision_at_thresholds as streaming_precision_at_thresholds,
)
from dataflow.contrib.metrics.streaming import streaming_recall as streaming_recall
from dataflow.contrib.metrics.streaming import (
    streaming_recall_at_thresholds as streaming_recall_at_thresholds,
)
from dataflow.contrib.metrics.streaming import (
    streaming_root_mean_squared_error as streaming_root_mean_squared_error,
)
from dataflow.contrib.metrics.streaming import (
    streaming_sensitivity_at_specificity as streaming_sensitivity_at_specificity,
)
from dataflow.contrib.metrics.streaming import (
    streaming_sparse_average_precision_at_k as streaming_sparse_average_precision_at_k,
)
from dataflow.contrib.metrics.streaming import (
    streaming_sparse_precision_at_k as streaming_sparse_precision_at_k,
)
from dataflow.contrib.metrics.streaming import (
    streaming_sparse_precision_at_top_k as streaming_sparse_precision_at_top_k,
)
from dataflow.contrib.metrics.streaming import (
    streaming_sparse_recall_at_k as streaming_sparse_recall_at_k,
)
from dataflow.contrib.metrics.streaming import (
    streaming_specificity_at_sensitivity as streaming_specificity_at_sensitivity,
)
from dataflow.contrib.metrics.streaming import streaming_true_negatives as streaming_true_negatives
from dataflow.contrib.metrics.streaming import (
    streaming_true_negatives_at_thresholds as streaming_true_negatives_at_thresholds,
)
from dataflow.contrib.metrics.streaming import streaming_true_positives as streaming_true_positives
from dataflow.contrib.metrics.streaming import (
    streaming_true_positives_at_thresholds as streaming_true_positives_at_thresholds,
)
from dataflow.library.confusion_matrix import confusion_matrix as confusion_matrix
from dataflow.ops.sets.set_operation import set_difference as set_difference
from dataflow.ops.sets.set_operation import set_intersection as set_intersection
from dataflow.ops.sets.set_operation import set_size as set_size
from dataflow.ops.sets.set_operation import set_union as set_union
