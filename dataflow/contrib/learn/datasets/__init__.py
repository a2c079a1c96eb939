"""tf.contrib.learn.datasets: data sets in files that are there already."""

from dataflow.contrib.learn.datasets import base as base
from dataflow.contrib.learn.datasets import mnist as mnist
