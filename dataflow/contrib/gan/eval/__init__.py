"""tf.contrib.gan.eval: images of what models make, in summaries."""

from dataflow.contrib.gan.eval.grids import image_grid as image_grid
from dataflow.contrib.gan.eval.grids import image_reshaper as image_reshaper
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
