"""tf.contrib.kernel_methods: linear models of features that approximate kernels."""

from dataflow.contrib.kernel_methods.classifier import (
    KernelLinearClassifier as KernelLinearClassifier,
)
from dataflow.contrib.kernel_methods.losses import (
    sparse_multiclass_hinge_loss as sparse_multiclass_hinge_loss,
)
from dataflow.contrib.kernel_methods.mappers import (
    RandomFourierFeatureMapper as RandomFourierFeatureMapper,
)
