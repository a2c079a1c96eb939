"""tf.keras.datasets: data sets of files in `~/.keras/datasets`, which are loaded if need be."""

from dataflow.keras.datasets import boston_housing as boston_housing
from dataflow.keras.datasets import cifar as cifar
from dataflow.keras.datasets import cifar10 as cifar10
from dataflow.keras.datasets import cifar100 as cifar100
from dataflow.keras.datasets import fashion_mnist as fashion_mnist
from dataflow.keras.datasets import imdb as imdb
from dataflow.keras.datasets import mnist as mnist
from dataflow.keras.datasets import reuters as reuters
