"""tf.contrib.gan.estimator: estimators of a generator and a discriminator."""

from dataflow.contrib.gan.estimator import gan_estimator as gan_estimator
from dataflow.contrib.gan.estimator import head as head
from dataflow.contrib.gan.estimator import stargan_estimator as stargan_estimator
from dataflow.contrib.gan.estimator.gan_estimator import GANEstimator as GANEstimator
from dataflow.contrib.gan.estimator.gan_estimator import SummaryType as SummaryType
from dataflow.contrib.gan.estimator.head import GANHead as GANHead
from dataflow.contrib.gan.estimator.head import gan_head as gan_head
from dataflow.contrib.gan.estimator.stargan_estimator import StarGANEstimator as StarGANEstimator
from dataflow.contrib.gan.estimator.stargan_estimator import (
    stargan_prediction_input_fn_wrapper as stargan_prediction_input_fn_wrapper,
)
