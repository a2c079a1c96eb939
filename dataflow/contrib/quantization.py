"""tf.contrib.quantization: numbers of few bits, and what computes with them."""

from dataflow.ops.quantization.arithmetic import quantized_concat as quantized_concat
from dataflow.ops.quantization.conversions import dequantize as dequantize
from dataflow.ops.quantization.conversions import quantize_v2 as quantize_v2
from dataflow.ops.quantization.layers import quantized_avg_pool as quantized_avg_pool
from dataflow.ops.quantization.layers import quantized_conv2d as quantized_conv2d
from dataflow.ops.quantization.layers import quantized_max_pool as quantized_max_pool
