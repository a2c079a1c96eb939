"""tf.contrib.factorization: clusters, mixtures of Gaussians, factors of matrices."""

from dataflow.contrib.factorization.clusters import KMeans as KMeans
from dataflow.contrib.factorization.gmm import GMM as GMM
from dataflow.contrib.factorization.gmm_ops import GmmAlgorithm as GmmAlgorithm
from dataflow.contrib.factorization.gmm_ops import gmm as gmm
from dataflow.contrib.factorization.kmeans import KMeansClustering as KMeansClustering
from dataflow.contrib.factorization.names import COSINE_DISTANCE as COSINE_DISTANCE
from dataflow.contrib.factorization.names import KMEANS_PLUS_PLUS_INIT as KMEANS_PLUS_PLUS_INIT
from dataflow.contrib.factorization.names import RANDOM_INIT as RANDOM_INIT
from dataflow.contrib.factorization.names import (
    SQUARED_EUCLIDEAN_DISTANCE as SQUARED_EUCLIDEAN_DISTANCE,
)
from dataflow.contrib.factorization.wals import WALSMatrixFactorization as WALSMatrixFactorization
from dataflow.contrib.factorization.wals_model import WALSModel as WALSModel
