"""tf.contrib.image: images turned, moved, warped, and seen through projections; matchings."""

from dataflow.contrib.image.components import connected_components as connected_components
from dataflow.contrib.image.matching import bipartite_match as bipartite_match
from dataflow.contrib.image.matrices import compose_transforms as compose_transforms
from dataflow.contrib.image.matrices import (
    flat_transforms_to_matrices as flat_transforms_to_matrices,
)
from dataflow.contrib.image.matrices import (
    matrices_to_flat_transforms as matrices_to_flat_transforms,
)
from dataflow.contrib.image.splines import interpolate_spline as interpolate_spline
from dataflow.contrib.image.splines import sparse_image_warp as sparse_image_warp
from dataflow.contrib.image.transforms import (
    angles_to_projective_transforms as angles_to_projective_transforms,
)
from dataflow.contrib.image.transforms import rotate as rotate
from dataflow.contrib.image.transforms import transform as transform
from dataflow.contrib.image.transforms import translate as translate
from dataflow.contrib.image.transforms import (
    translations_to_projective_transforms as translations_to_projective_transforms,
)
from dataflow.contrib.image.warping import dense_image_warp as dense_image_warp
from dataflow.contrib.image.yiq import adjust_hsv_in_yiq as adjust_hsv_in_yiq
from dataflow.contrib.image.yiq import random_hsv_in_yiq as random_hsv_in_yiq
