"""tf.contrib.gan.eval: how good what models make is, and images of it in summaries."""

from dataflow.contrib.gan.eval import classifier_metrics as classifier_metrics
from dataflow.contrib.gan.eval import grids as _grids
from dataflow.contrib.gan.eval import summaries as summaries
from dataflow.contrib.gan.eval.classifier_metrics import (
    INCEPTION_DEFAULT_IMAGE_SIZE as INCEPTION_DEFAULT_IMAGE_SIZE,
)
from dataflow.contrib.gan.eval.classifier_metrics import classifier_score as classifier_score
from dataflow.contrib.gan.eval.classifier_metrics import (
    classifier_score_from_logits as classifier_score_from_logits,
)
from dataflow.contrib.gan.eval.classifier_metrics import (
    diagonal_only_frechet_classifier_distance_from_activations as diagonal_only_frechet_classifier_distance_from_activations,  # noqa: E501
)
from dataflow.contrib.gan.eval.classifier_metrics import (
    frechet_classifier_distance as frechet_classifier_distance,
)
from dataflow.contrib.gan.eval.classifier_metrics import (
    frechet_classifier_distance_from_activations as frechet_classifier_distance_from_activations,
)
from dataflow.contrib.gan.eval.classifier_metrics import (
    frechet_inception_distance as frechet_inception_distance,
)
from dataflow.contrib.gan.eval.classifier_metrics import (
    get_graph_def_from_disk as get_graph_def_from_disk,
)
from dataflow.contrib.gan.eval.classifier_metrics import (
    get_graph_def_from_resource as get_graph_def_from_resource,
)
from dataflow.contrib.gan.eval.classifier_metrics import (
    get_graph_def_from_url_tarball as get_graph_def_from_url_tarball,
)
from dataflow.contrib.gan.eval.classifier_metrics import inception_score as inception_score
from dataflow.contrib.gan.eval.classifier_metrics import (
    kernel_classifier_distance as kernel_classifier_distance,
)
from dataflow.contrib.gan.eval.classifier_metrics import (
    kernel_classifier_distance_and_std as kernel_classifier_distance_and_std,
)
from dataflow.contrib.gan.eval.classifier_metrics import (
    kernel_classifier_distance_and_std_from_activations as kernel_classifier_distance_and_std_from_activations,  # noqa: E501
)
from dataflow.contrib.gan.eval.classifier_metrics import (
    kernel_classifier_distance_from_activations as kernel_classifier_distance_from_activations,
)
from dataflow.contrib.gan.eval.classifier_metrics import (
    kernel_inception_distance as kernel_inception_distance,
)
from dataflow.contrib.gan.eval.classifier_metrics import (
    kernel_inception_distance_and_std as kernel_inception_distance_and_std,
)
from dataflow.contrib.gan.eval.classifier_metrics import (
    mean_only_frechet_classifier_distance_from_activations as mean_only_frechet_classifier_distance_from_activations,  # noqa: E501
)
from dataflow.contrib.gan.eval.classifier_metrics import preprocess_image as preprocess_image
from dataflow.contrib.gan.eval.classifier_metrics import (
    run_image_classifier as run_image_classifier,
)
from dataflow.contrib.gan.eval.classifier_metrics import run_inception as run_inception
from dataflow.contrib.gan.eval.grids import image_grid as image_grid
from dataflow.contrib.gan.eval.grids import image_reshaper as image_reshaper
from dataflow.contrib.gan.eval.sliced_wasserstein import (
    sliced_wasserstein_distance as sliced_wasserstein_distance,
)
from dataflow.contrib.gan.eval.summaries import (
    add_cyclegan_image_summaries as add_cyclegan_image_summaries,
)
from dataflow.contrib.gan.eval.summaries import (
    add_gan_model_image_summaries as add_gan_model_image_summaries,
)
from dataflow.contrib.gan.eval.summaries import add_gan_model_summaries as add_gan_model_summaries
from dataflow.contrib.gan.eval.summaries import (
    add_image_comparison_summaries as add_image_comparison_summaries,
)
from dataflow.contrib.gan.eval.summaries import (
    add_regularization_loss_summaries as add_regularization_loss_summaries,
)
from dataflow.contrib.gan.eval.summaries import (
    add_stargan_image_summaries as add_stargan_image_summaries,
)

eval_utils = _grids
