"""tf.contrib.learn.datasets.mnist: MNIST in its four files."""

from dataflow.library.mnist import DataSet as DataSet
from dataflow.library.mnist import load_mnist as load_mnist
from dataflow.library.mnist import read_data_sets as read_data_sets
