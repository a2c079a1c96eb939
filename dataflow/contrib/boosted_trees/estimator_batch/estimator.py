"""The estimators of trees on gradients, by both interfaces."""

import dataflow.contrib.boosted_trees.estimator_batch.core_estimators as _core
import dataflow.contrib.boosted_trees.estimator_batch.older_estimators as _older
from dataflow.contrib.boosted_trees.estimator_batch.core_heads import (
    core_multiclass_head as core_multiclass_head,
)
from dataflow.contrib.boosted_trees.estimator_batch.core_heads import (
    core_quantile_regression_head as core_quantile_regression_head,
)

CoreGradientBoostedDecisionTreeEstimator = _core.CoreGradientBoostedDecisionTreeEstimator
CoreGradientBoostedDecisionTreeQuantileRegressor = (
    _core.CoreGradientBoostedDecisionTreeQuantileRegressor
)
CoreGradientBoostedDecisionTreeRanker = _core.CoreGradientBoostedDecisionTreeRanker
GradientBoostedDecisionTreeClassifier = _older.GradientBoostedDecisionTreeClassifier
GradientBoostedDecisionTreeEstimator = _older.GradientBoostedDecisionTreeEstimator
GradientBoostedDecisionTreeQuantileRegressor = _older.GradientBoostedDecisionTreeQuantileRegressor
GradientBoostedDecisionTreeRanker = _older.GradientBoostedDecisionTreeRanker
GradientBoostedDecisionTreeRegressor = _older.GradientBoostedDecisionTreeRegressor
