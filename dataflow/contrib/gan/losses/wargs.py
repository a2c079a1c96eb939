"""tf.contrib.gan.losses.wargs: losses as functions of tensors."""

from dataflow.contrib.gan.losses.adversarial import (
    acgan_discriminator_loss as acgan_discriminator_loss,
)
from dataflow.contrib.gan.losses.adversarial import acgan_generator_loss as acgan_generator_loss
from dataflow.contrib.gan.losses.adversarial import (
    least_squares_discriminator_loss as least_squares_discriminator_loss,
)
from dataflow.contrib.gan.losses.adversarial import (
    least_squares_generator_loss as least_squares_generator_loss,
)
from dataflow.contrib.gan.losses.adversarial import (
    minimax_discriminator_loss as minimax_discriminator_loss,
)
from dataflow.contrib.gan.losses.adversarial import minimax_generator_loss as minimax_generator_loss
from dataflow.contrib.gan.losses.adversarial import (
    modified_discriminator_loss as modified_discriminator_loss,
)
from dataflow.contrib.gan.losses.adversarial import (
    modified_generator_loss as modified_generator_loss,
)
from dataflow.contrib.gan.losses.adversarial import (
    wasserstein_discriminator_loss as wasserstein_discriminator_loss,
)
from dataflow.contrib.gan.losses.adversarial import (
    wasserstein_generator_loss as wasserstein_generator_loss,
)
from dataflow.contrib.gan.losses.adversarial import (
    wasserstein_hinge_discriminator_loss as wasserstein_hinge_discriminator_loss,
)
from dataflow.contrib.gan.losses.adversarial import (
    wasserstein_hinge_generator_loss as wasserstein_hinge_generator_loss,
)
from dataflow.contrib.gan.losses.auxiliary import (
    combine_adversarial_loss as combine_adversarial_loss,
)
from dataflow.contrib.gan.losses.auxiliary import cycle_consistency_loss as cycle_consistency_loss
from dataflow.contrib.gan.losses.auxiliary import (
    mutual_information_penalty as mutual_information_penalty,
)
from dataflow.contrib.gan.losses.auxiliary import (
    wasserstein_gradient_penalty as wasserstein_gradient_penalty,
)
