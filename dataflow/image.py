"""tf.image: images, their sizes, colors, parts, boxes and files."""

import dataflow.library.images.adjusting as _standard
import dataflow.library.images.cropping as _cropping
import dataflow.library.images.flips as _flips
import dataflow.library.images.resizing as _resizing
from dataflow.library.images.adjusting import adjust_brightness as adjust_brightness
from dataflow.library.images.adjusting import adjust_contrast as adjust_contrast
from dataflow.library.images.adjusting import adjust_gamma as adjust_gamma
from dataflow.library.images.adjusting import adjust_hue as adjust_hue
from dataflow.library.images.adjusting import adjust_jpeg_quality as adjust_jpeg_quality
from dataflow.library.images.adjusting import adjust_saturation as adjust_saturation
from dataflow.library.images.adjusting import per_image_standardization as per_image_standardization
from dataflow.library.images.colors import grayscale_to_rgb as grayscale_to_rgb
from dataflow.library.images.colors import rgb_to_grayscale as rgb_to_grayscale
from dataflow.library.images.colors import rgb_to_yiq as rgb_to_yiq
from dataflow.library.images.colors import rgb_to_yuv as rgb_to_yuv
from dataflow.library.images.colors import yiq_to_rgb as yiq_to_rgb
from dataflow.library.images.colors import yuv_to_rgb as yuv_to_rgb
from dataflow.library.images.conversion import convert_image_dtype as convert_image_dtype
from dataflow.library.images.cropping import central_crop as central_crop
from dataflow.library.images.cropping import crop_to_bounding_box as crop_to_bounding_box
from dataflow.library.images.cropping import pad_to_bounding_box as pad_to_bounding_box
from dataflow.library.images.cropping import (
    resize_image_with_crop_or_pad as resize_image_with_crop_or_pad,
)
from dataflow.library.images.differences import image_gradients as image_gradients
from dataflow.library.images.differences import sobel_edges as sobel_edges
from dataflow.library.images.differences import total_variation as total_variation
from dataflow.library.images.files import decode_image as decode_image
from dataflow.library.images.files import is_jpeg as is_jpeg
from dataflow.library.images.flips import flip_left_right as flip_left_right
from dataflow.library.images.flips import flip_up_down as flip_up_down
from dataflow.library.images.flips import random_flip_left_right as random_flip_left_right
from dataflow.library.images.flips import random_flip_up_down as random_flip_up_down
from dataflow.library.images.flips import rot90 as rot90
from dataflow.library.images.flips import transpose as transpose
from dataflow.library.images.padded_suppression import (
    non_max_suppression_padded as non_max_suppression_padded,
)
from dataflow.library.images.random_adjusting import random_brightness as random_brightness
from dataflow.library.images.random_adjusting import random_contrast as random_contrast
from dataflow.library.images.random_adjusting import random_hue as random_hue
from dataflow.library.images.random_adjusting import random_jpeg_quality as random_jpeg_quality
from dataflow.library.images.random_adjusting import random_saturation as random_saturation
from dataflow.library.images.random_crop import random_crop as random_crop
from dataflow.library.images.resizing import ResizeMethod as ResizeMethod
from dataflow.library.images.resizing import resize_image_with_pad as resize_image_with_pad
from dataflow.library.images.resizing import resize_images as resize_images
from dataflow.library.images.similarity import psnr as psnr
from dataflow.library.images.similarity import ssim as ssim
from dataflow.library.images.similarity import ssim_multiscale as ssim_multiscale
from dataflow.ops.array.patches import extract_image_patches as extract_image_patches
from dataflow.ops.array.patches import extract_patches as extract_patches
from dataflow.ops.image.boxes import combined_non_max_suppression as combined_non_max_suppression
from dataflow.ops.image.boxes import non_max_suppression as non_max_suppression
from dataflow.ops.image.boxes import non_max_suppression_overlaps as non_max_suppression_overlaps
from dataflow.ops.image.boxes import (
    non_max_suppression_with_scores as non_max_suppression_with_scores,
)
from dataflow.ops.image.color import hsv_to_rgb as hsv_to_rgb
from dataflow.ops.image.color import rgb_to_hsv as rgb_to_hsv
from dataflow.ops.image.crops import crop_and_resize as crop_and_resize
from dataflow.ops.image.crops import extract_glimpse as extract_glimpse
from dataflow.ops.image.drawing import draw_bounding_boxes as draw_bounding_boxes
from dataflow.ops.image.files import decode_and_crop_jpeg as decode_and_crop_jpeg
from dataflow.ops.image.files import decode_bmp as decode_bmp
from dataflow.ops.image.files import decode_gif as decode_gif
from dataflow.ops.image.files import decode_jpeg as decode_jpeg
from dataflow.ops.image.files import decode_png as decode_png
from dataflow.ops.image.files import decode_webp as decode_webp
from dataflow.ops.image.files import encode_jpeg as encode_jpeg
from dataflow.ops.image.files import encode_png as encode_png
from dataflow.ops.image.files import extract_jpeg_shape as extract_jpeg_shape
from dataflow.ops.image.resize import resize_area as resize_area
from dataflow.ops.image.resize import resize_bicubic as resize_bicubic
from dataflow.ops.image.resize import resize_bilinear as resize_bilinear
from dataflow.ops.image.resize import resize_nearest_neighbor as resize_nearest_neighbor
from dataflow.ops.image.sampling import (
    sample_distorted_bounding_box as sample_distorted_bounding_box,
)

per_image_whitening = _standard.per_image_standardization
resize = _resizing.resize_images
resize_with_crop_or_pad = _cropping.resize_image_with_crop_or_pad
transpose_image = _flips.transpose
