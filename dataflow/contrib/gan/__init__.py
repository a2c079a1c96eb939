"""tf.contrib.gan: nets that generate data, trained against nets that tell them from real ones."""

from dataflow.contrib.gan import eval as eval
from dataflow.contrib.gan import features as features
from dataflow.contrib.gan import losses as losses
from dataflow.contrib.gan.model_losses import cyclegan_loss as cyclegan_loss
from dataflow.contrib.gan.model_losses import gan_loss as gan_loss
from dataflow.contrib.gan.model_losses import stargan_loss as stargan_loss
from dataflow.contrib.gan.models import acgan_model as acgan_model
from dataflow.contrib.gan.models import cyclegan_model as cyclegan_model
from dataflow.contrib.gan.models import gan_model as gan_model
from dataflow.contrib.gan.models import infogan_model as infogan_model
from dataflow.contrib.gan.models import stargan_model as stargan_model
from dataflow.contrib.gan.training import RunTrainOpsHook as RunTrainOpsHook
from dataflow.contrib.gan.training import gan_train as gan_train
from dataflow.contrib.gan.training import gan_train_ops as gan_train_ops
from dataflow.contrib.gan.training import get_joint_train_hooks as get_joint_train_hooks
from dataflow.contrib.gan.training import get_sequential_train_hooks as get_sequential_train_hooks
from dataflow.contrib.gan.training import get_sequential_train_steps as get_sequential_train_steps
from dataflow.contrib.gan.tuples import ACGANModel as ACGANModel
from dataflow.contrib.gan.tuples import CycleGANLoss as CycleGANLoss
from dataflow.contrib.gan.tuples import CycleGANModel as CycleGANModel
from dataflow.contrib.gan.tuples import GANLoss as GANLoss
from dataflow.contrib.gan.tuples import GANModel as GANModel
from dataflow.contrib.gan.tuples import GANTrainOps as GANTrainOps
from dataflow.contrib.gan.tuples import GANTrainSteps as GANTrainSteps
from dataflow.contrib.gan.tuples import InfoGANModel as InfoGANModel
from dataflow.contrib.gan.tuples import StarGANModel as StarGANModel
