"""tf.contrib.factorization: k-means clustering."""

from dataflow.contrib.factorization.clusters import KMeans as KMeans
from dataflow.contrib.factorization.kmeans import KMeansClustering as KMeansClustering
from dataflow.contrib.factorization.names import COSINE_DISTANCE as COSINE_DISTANCE
from dataflow.contrib.factorization.names import KMEANS_PLUS_PLUS_INIT as KMEANS_PLUS_PLUS_INIT
from dataflow.contrib.factorization.names import RANDOM_INIT as RANDOM_INIT
from dataflow.contrib.factorization.names import (
    SQUARED_EUCLIDEAN_DISTANCE as SQUARED_EUCLIDEAN_DISTANCE,
)
