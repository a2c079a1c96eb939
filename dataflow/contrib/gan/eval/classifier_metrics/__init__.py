"""Measures of generated images by what a classifier makes of them."""

from dataflow.contrib.gan.eval.classifier_metrics.frechet import (
    diagonal_only_frechet_classifier_distance_from_activations as diagonal_only_frechet_classifier_distance_from_activations,  # noqa: E501
)
from dataflow.contrib.gan.eval.classifier_metrics.frechet import (
    frechet_classifier_distance as frechet_classifier_distance,
)
from dataflow.contrib.gan.eval.classifier_metrics.frechet import (
    frechet_classifier_distance_from_activations as frechet_classifier_distance_from_activations,
)
from dataflow.contrib.gan.eval.classifier_metrics.frechet import (
    frechet_inception_distance as frechet_inception_distance,
)
from dataflow.contrib.gan.eval.classifier_metrics.frechet import (
    mean_only_frechet_classifier_distance_from_activations as mean_only_frechet_classifier_distance_from_activations,  # noqa: E501
)
from dataflow.contrib.gan.eval.classifier_metrics.inception import (
    INCEPTION_DEFAULT_IMAGE_SIZE as INCEPTION_DEFAULT_IMAGE_SIZE,
)
from dataflow.contrib.gan.eval.classifier_metrics.inception import (
    INCEPTION_FINAL_POOL as INCEPTION_FINAL_POOL,
)
from dataflow.contrib.gan.eval.classifier_metrics.inception import (
    INCEPTION_FROZEN_GRAPH as INCEPTION_FROZEN_GRAPH,
)
from dataflow.contrib.gan.eval.classifier_metrics.inception import (
    INCEPTION_INPUT as INCEPTION_INPUT,
)
from dataflow.contrib.gan.eval.classifier_metrics.inception import (
    INCEPTION_OUTPUT as INCEPTION_OUTPUT,
)
from dataflow.contrib.gan.eval.classifier_metrics.inception import INCEPTION_URL as INCEPTION_URL
from dataflow.contrib.gan.eval.classifier_metrics.inception import (
    get_graph_def_from_disk as get_graph_def_from_disk,
)
from dataflow.contrib.gan.eval.classifier_metrics.inception import (
    get_graph_def_from_resource as get_graph_def_from_resource,
)
from dataflow.contrib.gan.eval.classifier_metrics.inception import (
    get_graph_def_from_url_tarball as get_graph_def_from_url_tarball,
)
from dataflow.contrib.gan.eval.classifier_metrics.inception import (
    preprocess_image as preprocess_image,
)
from dataflow.contrib.gan.eval.classifier_metrics.inception import (
    run_image_classifier as run_image_classifier,
)
from dataflow.contrib.gan.eval.classifier_metrics.inception import run_inception as run_inception
from dataflow.contrib.gan.eval.classifier_metrics.kernels import (
    kernel_classifier_distance as kernel_classifier_distance,
)
from dataflow.contrib.gan.eval.classifier_metrics.kernels import (
    kernel_classifier_distance_and_std as kernel_classifier_distance_and_std,
)
from dataflow.contrib.gan.eval.classifier_metrics.kernels import (
    kernel_classifier_distance_and_std_from_activations as kernel_classifier_distance_and_std_from_activations,  # noqa: E501
)
from dataflow.contrib.gan.eval.classifier_metrics.kernels import (
    kernel_classifier_distance_from_activations as kernel_classifier_distance_from_activations,
)
from dataflow.contrib.gan.eval.classifier_metrics.kernels import (
    kernel_inception_distance as kernel_inception_distance,
)
from dataflow.contrib.gan.eval.classifier_metrics.kernels import (
    kernel_inception_distance_and_std as kernel_inception_distance_and_std,
)
from dataflow.contrib.gan.eval.classifier_metrics.scores import classifier_score as classifier_score
from dataflow.contrib.gan.eval.classifier_metrics.scores import (
    classifier_score_from_logits as classifier_score_from_logits,
)
from dataflow.contrib.gan.eval.classifier_metrics.scores import inception_score as inception_score
