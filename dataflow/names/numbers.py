"""Mathematics, reductions, linear algebra and random numbers, as `tf` names them."""

import dataflow.ops.quantization.fake_quant as _fake_quant
from dataflow.library.linalg.least_squares import matrix_solve_ls as matrix_solve_ls
from dataflow.library.signal.histogram import (
    histogram_fixed_width_bins as histogram_fixed_width_bins,
)
from dataflow.ops.linalg.cholesky import cholesky as cholesky
from dataflow.ops.linalg.cholesky import cholesky_solve as cholesky_solve
from dataflow.ops.linalg.cross import cross as cross
from dataflow.ops.linalg.diag import diag as diag
from dataflow.ops.linalg.diag import diag_part as diag_part
from dataflow.ops.linalg.diag import eye as eye
from dataflow.ops.linalg.diag import matrix_band_part as matrix_band_part
from dataflow.ops.linalg.diag import matrix_diag as matrix_diag
from dataflow.ops.linalg.diag import matrix_diag_part as matrix_diag_part
from dataflow.ops.linalg.diag import matrix_set_diag as matrix_set_diag
from dataflow.ops.linalg.eigen import self_adjoint_eig as self_adjoint_eig
from dataflow.ops.linalg.eigen import self_adjoint_eigvals as self_adjoint_eigvals
from dataflow.ops.linalg.einsum import einsum as einsum
from dataflow.ops.linalg.inverse import matrix_determinant as matrix_determinant
from dataflow.ops.linalg.inverse import matrix_inverse as matrix_inverse
from dataflow.ops.linalg.matmul import matmul as matmul
from dataflow.ops.linalg.matmul import sparse_matmul as sparse_matmul
from dataflow.ops.linalg.norm import norm as norm
from dataflow.ops.linalg.powers import matrix_square_root as matrix_square_root
from dataflow.ops.linalg.qr import qr as qr
from dataflow.ops.linalg.solve import matrix_solve as matrix_solve
from dataflow.ops.linalg.solve import matrix_triangular_solve as matrix_triangular_solve
from dataflow.ops.linalg.svd import svd as svd
from dataflow.ops.linalg.tensordot import tensordot as tensordot
from dataflow.ops.linalg.tensordot import trace as trace
from dataflow.ops.math.binary import add as add
from dataflow.ops.math.binary import maximum as maximum
from dataflow.ops.math.binary import minimum as minimum
from dataflow.ops.math.binary import multiply as multiply
from dataflow.ops.math.binary import scalar_mul as scalar_mul
from dataflow.ops.math.binary import squared_difference as squared_difference
from dataflow.ops.math.binary import subtract as subtract
from dataflow.ops.math.check import add_check_numerics_ops as add_check_numerics_ops
from dataflow.ops.math.check import check_numerics as check_numerics
from dataflow.ops.math.check import verify_tensor_all_finite as verify_tensor_all_finite
from dataflow.ops.math.compare import equal as equal
from dataflow.ops.math.compare import greater as greater
from dataflow.ops.math.compare import greater_equal as greater_equal
from dataflow.ops.math.compare import less as less
from dataflow.ops.math.compare import less_equal as less_equal
from dataflow.ops.math.compare import logical_and as logical_and
from dataflow.ops.math.compare import logical_not as logical_not
from dataflow.ops.math.compare import logical_or as logical_or
from dataflow.ops.math.compare import logical_xor as logical_xor
from dataflow.ops.math.compare import not_equal as not_equal
from dataflow.ops.math.complex import angle as angle
from dataflow.ops.math.complex import complex as complex
from dataflow.ops.math.complex import conj as conj
from dataflow.ops.math.complex import imag as imag
from dataflow.ops.math.complex import real as real
from dataflow.ops.math.division import div as div
from dataflow.ops.math.division import div_no_nan as div_no_nan
from dataflow.ops.math.division import divide as divide
from dataflow.ops.math.division import floor_div as floor_div
from dataflow.ops.math.division import floordiv as floordiv
from dataflow.ops.math.division import floormod as floormod
from dataflow.ops.math.division import mod as mod
from dataflow.ops.math.division import realdiv as realdiv
from dataflow.ops.math.division import truediv as truediv
from dataflow.ops.math.division import truncatediv as truncatediv
from dataflow.ops.math.division import truncatemod as truncatemod
from dataflow.ops.math.linspace import lin_space as lin_space
from dataflow.ops.math.linspace import linspace as linspace
from dataflow.ops.math.power import atan2 as atan2
from dataflow.ops.math.power import pow as pow
from dataflow.ops.math.rounding import ceil as ceil
from dataflow.ops.math.rounding import floor as floor
from dataflow.ops.math.rounding import is_finite as is_finite
from dataflow.ops.math.rounding import is_inf as is_inf
from dataflow.ops.math.rounding import is_nan as is_nan
from dataflow.ops.math.rounding import rint as rint
from dataflow.ops.math.rounding import round as round
from dataflow.ops.math.rounding import sign as sign
from dataflow.ops.math.sigmoid import log_sigmoid as log_sigmoid
from dataflow.ops.math.sigmoid import sigmoid as sigmoid
from dataflow.ops.math.special import betainc as betainc
from dataflow.ops.math.special import digamma as digamma
from dataflow.ops.math.special import erf as erf
from dataflow.ops.math.special import erfc as erfc
from dataflow.ops.math.special import igamma as igamma
from dataflow.ops.math.special import igammac as igammac
from dataflow.ops.math.special import lbeta as lbeta
from dataflow.ops.math.special import lgamma as lgamma
from dataflow.ops.math.special import polygamma as polygamma
from dataflow.ops.math.special import zeta as zeta
from dataflow.ops.math.trig import acos as acos
from dataflow.ops.math.trig import acosh as acosh
from dataflow.ops.math.trig import asin as asin
from dataflow.ops.math.trig import asinh as asinh
from dataflow.ops.math.trig import atan as atan
from dataflow.ops.math.trig import atanh as atanh
from dataflow.ops.math.trig import cos as cos
from dataflow.ops.math.trig import cosh as cosh
from dataflow.ops.math.trig import sin as sin
from dataflow.ops.math.trig import sinh as sinh
from dataflow.ops.math.trig import tan as tan
from dataflow.ops.math.trig import tanh as tanh
from dataflow.ops.math.unary import abs as abs
from dataflow.ops.math.unary import exp as exp
from dataflow.ops.math.unary import expm1 as expm1
from dataflow.ops.math.unary import log as log
from dataflow.ops.math.unary import log1p as log1p
from dataflow.ops.math.unary import negative as negative
from dataflow.ops.math.unary import reciprocal as reciprocal
from dataflow.ops.math.unary import rsqrt as rsqrt
from dataflow.ops.math.unary import sqrt as sqrt
from dataflow.ops.math.unary import square as square
from dataflow.ops.nn.topk import approx_top_k as approx_top_k
from dataflow.ops.quantization.arithmetic import quantized_concat as quantized_concat
from dataflow.ops.quantization.conversions import dequantize as dequantize
from dataflow.ops.quantization.conversions import quantize as quantize
from dataflow.ops.quantization.conversions import quantize_v2 as quantize_v2
from dataflow.ops.quantization.fake_quant import (
    fake_quant_with_min_max_args as fake_quant_with_min_max_args,
)
from dataflow.ops.quantization.fake_quant import (
    fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient,
)
from dataflow.ops.quantization.fake_quant import (
    fake_quant_with_min_max_vars as fake_quant_with_min_max_vars,
)
from dataflow.ops.quantization.fake_quant import (
    fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient,
)
from dataflow.ops.quantization.fake_quant import (
    fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel,
)
from dataflow.ops.random.gamma import random_gamma as random_gamma
from dataflow.ops.random.gamma import random_poisson as random_poisson
from dataflow.ops.random.index_shuffle import random_index_shuffle as random_index_shuffle
from dataflow.ops.random.stateful import multinomial as multinomial
from dataflow.ops.random.stateful import random_normal as random_normal
from dataflow.ops.random.stateful import random_shuffle as random_shuffle
from dataflow.ops.random.stateful import random_uniform as random_uniform
from dataflow.ops.random.stateful import truncated_normal as truncated_normal
from dataflow.ops.reductions.arg import arg_max as arg_max
from dataflow.ops.reductions.arg import arg_min as arg_min
from dataflow.ops.reductions.arg import argmax as argmax
from dataflow.ops.reductions.arg import argmin as argmin
from dataflow.ops.reductions.bincount import bincount as bincount
from dataflow.ops.reductions.bincount import histogram_fixed_width as histogram_fixed_width
from dataflow.ops.reductions.reduce import reduce_all as reduce_all
from dataflow.ops.reductions.reduce import reduce_any as reduce_any
from dataflow.ops.reductions.reduce import reduce_max as reduce_max
from dataflow.ops.reductions.reduce import reduce_mean as reduce_mean
from dataflow.ops.reductions.reduce import reduce_min as reduce_min
from dataflow.ops.reductions.reduce import reduce_prod as reduce_prod
from dataflow.ops.reductions.reduce import reduce_sum as reduce_sum
from dataflow.ops.reductions.scan import cumprod as cumprod
from dataflow.ops.reductions.scan import cumsum as cumsum
from dataflow.ops.reductions.segment import segment_max as segment_max
from dataflow.ops.reductions.segment import segment_mean as segment_mean
from dataflow.ops.reductions.segment import segment_min as segment_min
from dataflow.ops.reductions.segment import segment_prod as segment_prod
from dataflow.ops.reductions.segment import segment_sum as segment_sum
from dataflow.ops.reductions.segment import unsorted_segment_max as unsorted_segment_max
from dataflow.ops.reductions.segment import unsorted_segment_mean as unsorted_segment_mean
from dataflow.ops.reductions.segment import unsorted_segment_min as unsorted_segment_min
from dataflow.ops.reductions.segment import unsorted_segment_prod as unsorted_segment_prod
from dataflow.ops.reductions.segment import unsorted_segment_sqrt_n as unsorted_segment_sqrt_n
from dataflow.ops.reductions.segment import unsorted_segment_sum as unsorted_segment_sum
from dataflow.ops.reductions.statistics import count_nonzero as count_nonzero
from dataflow.ops.reductions.statistics import reduce_logsumexp as reduce_logsumexp
from dataflow.ops.reductions.sum import accumulate_n as accumulate_n
from dataflow.ops.reductions.sum import add_n as add_n
from dataflow.ops.signal.fourier import fft as fft
from dataflow.ops.signal.fourier import fft2d as fft2d
from dataflow.ops.signal.fourier import fft3d as fft3d
from dataflow.ops.signal.fourier import ifft as ifft
from dataflow.ops.signal.fourier import ifft2d as ifft2d
from dataflow.ops.signal.fourier import ifft3d as ifft3d

fake_quant_with_min_max_vars_per_channel_gradient = (
    _fake_quant.fake_quant_with_min_max_vars_per_channel_gradient
)
