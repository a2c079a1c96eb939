"""tf.contrib.gan.losses: losses of models; `wargs` has them as functions of tensors."""

from dataflow.contrib.gan.losses import wargs as wargs
from dataflow.contrib.gan.losses.of_models import (
    acgan_discriminator_loss as acgan_discriminator_loss,
)
from dataflow.contrib.gan.losses.of_models import acgan_generator_loss as acgan_generator_loss
from dataflow.contrib.gan.losses.of_models import (
    combine_adversarial_loss as combine_adversarial_loss,
)
from dataflow.contrib.gan.losses.of_models import cycle_consistency_loss as cycle_consistency_loss
from dataflow.contrib.gan.losses.of_models import (
    least_squares_discriminator_loss as least_squares_discriminator_loss,
)
from dataflow.contrib.gan.losses.of_models import (
    least_squares_generator_loss as least_squares_generator_loss,
)
from dataflow.contrib.gan.losses.of_models import (
    minimax_discriminator_loss as minimax_discriminator_loss,
)
from dataflow.contrib.gan.losses.of_models import minimax_generator_loss as minimax_generator_loss
from dataflow.contrib.gan.losses.of_models import (
    modified_discriminator_loss as modified_discriminator_loss,
)
from dataflow.contrib.gan.losses.of_models import modified_generator_loss as modified_generator_loss
from dataflow.contrib.gan.losses.of_models import (
    mutual_information_penalty as mutual_information_penalty,
)
from dataflow.contrib.gan.losses.of_models import (
    stargan_discriminator_loss_wrapper as stargan_discriminator_loss_wrapper,
)
from dataflow.contrib.gan.losses.of_models import (
    stargan_generator_loss_wrapper as stargan_generator_loss_wrapper,
)
from dataflow.contrib.gan.losses.of_models import (
    stargan_gradient_penalty_wrapper as stargan_gradient_penalty_wrapper,
)
from dataflow.contrib.gan.losses.of_models import (
    wasserstein_discriminator_loss as wasserstein_discriminator_loss,
)
from dataflow.contrib.gan.losses.of_models import (
    wasserstein_generator_loss as wasserstein_generator_loss,
)
from dataflow.contrib.gan.losses.of_models import (
    wasserstein_gradient_penalty as wasserstein_gradient_penalty,
)
from dataflow.contrib.gan.losses.of_models import (
    wasserstein_hinge_discriminator_loss as wasserstein_hinge_discriminator_loss,
)
from dataflow.contrib.gan.losses.of_models import (
    wasserstein_hinge_generator_loss as wasserstein_hinge_generator_loss,
)
