"""tf.contrib.learn.datasets: data sets in files that are there already."""

from dataflow.contrib.learn.datasets import base as base
from dataflow.contrib.learn.datasets import mnist as mnist
from dataflow.contrib.learn.datasets import synthetic as synthetic
from dataflow.contrib.learn.datasets import text_datasets as text_datasets
from dataflow.contrib.learn.datasets.base import load_boston as load_boston
from dataflow.contrib.learn.datasets.base import load_iris as load_iris
from dataflow.contrib.learn.datasets.named import DATASETS as DATASETS
from dataflow.contrib.learn.datasets.named import SYNTHETIC as SYNTHETIC
from dataflow.contrib.learn.datasets.named import load_dataset as load_dataset
from dataflow.contrib.learn.datasets.named import make_dataset as make_dataset
