"""tensorflow.contrib.learn.python.learn.estimators.head: the names its heads had before."""

from __future__ import annotations

from dataflow.contrib.learn.heads.base import Head
from dataflow.contrib.learn.heads.classes import (
    binary_svm_head,
    multi_class_head,
    multi_label_head,
)
from dataflow.contrib.learn.heads.numbers import poisson_regression_head, regression_head
from dataflow.contrib.learn.heads.several import multi_head

_Head = Head
_binary_svm_head = binary_svm_head
_multi_class_head = multi_class_head
_multi_head = multi_head
_multi_label_head = multi_label_head
_poisson_regression_head = poisson_regression_head
_regression_head = regression_head
