"""The layers of Inception, as text: a line for each end point, its branches, their layers.

A layer is "name=channels:kernel", a pool "name:kernel"; "*" is the name of the end point; C, M and
A in names are short for Conv2d_, MaxPool_ and AvgPool_. Behind
it may stand "/stride", "S" or "V" for another padding, and "~" with the deviation of the weights at
first. Layers with "&" between them have one input, and their outputs stand side by side.
"""

from __future__ import annotations

from typing import Final

INCEPTION_V1: Final = """
Conv2d_1a_7x7
  *=64:7x7/2
MaxPool_2a_3x3
  *:3x3/2
Conv2d_2b_1x1
  *=64:1x1
Conv2d_2c_3x3
  *=192:3x3
MaxPool_3a_3x3
  *:3x3/2
Mixed_3b
  C0a_1x1=64:1x1
  C0a_1x1=96:1x1 C0b_3x3=128:3x3
  C0a_1x1=16:1x1 C0b_3x3=32:3x3
  M0a_3x3:3x3 C0b_1x1=32:1x1
Mixed_3c
  C0a_1x1=128:1x1
  C0a_1x1=128:1x1 C0b_3x3=192:3x3
  C0a_1x1=32:1x1 C0b_3x3=96:3x3
  M0a_3x3:3x3 C0b_1x1=64:1x1
MaxPool_4a_3x3
  *:3x3/2
Mixed_4b
  C0a_1x1=192:1x1
  C0a_1x1=96:1x1 C0b_3x3=208:3x3
  C0a_1x1=16:1x1 C0b_3x3=48:3x3
  M0a_3x3:3x3 C0b_1x1=64:1x1
Mixed_4c
  C0a_1x1=160:1x1
  C0a_1x1=112:1x1 C0b_3x3=224:3x3
  C0a_1x1=24:1x1 C0b_3x3=64:3x3
  M0a_3x3:3x3 C0b_1x1=64:1x1
Mixed_4d
  C0a_1x1=128:1x1
  C0a_1x1=128:1x1 C0b_3x3=256:3x3
  C0a_1x1=24:1x1 C0b_3x3=64:3x3
  M0a_3x3:3x3 C0b_1x1=64:1x1
Mixed_4e
  C0a_1x1=112:1x1
  C0a_1x1=144:1x1 C0b_3x3=288:3x3
  C0a_1x1=32:1x1 C0b_3x3=64:3x3
  M0a_3x3:3x3 C0b_1x1=64:1x1
Mixed_4f
  C0a_1x1=256:1x1
  C0a_1x1=160:1x1 C0b_3x3=320:3x3
  C0a_1x1=32:1x1 C0b_3x3=128:3x3
  M0a_3x3:3x3 C0b_1x1=128:1x1
MaxPool_5a_2x2
  *:2x2/2
Mixed_5b
  C0a_1x1=256:1x1
  C0a_1x1=160:1x1 C0b_3x3=320:3x3
  C0a_1x1=32:1x1 C0a_3x3=128:3x3
  M0a_3x3:3x3 C0b_1x1=128:1x1
Mixed_5c
  C0a_1x1=384:1x1
  C0a_1x1=192:1x1 C0b_3x3=384:3x3
  C0a_1x1=48:1x1 C0b_3x3=128:3x3
  M0a_3x3:3x3 C0b_1x1=128:1x1
"""
"""Szegedy et al., Going deeper with convolutions, 2014."""

INCEPTION_V2: Final = """
Conv2d_1a_7x7
  *=64:7x7/2~1.0
MaxPool_2a_3x3
  *:3x3/2
Conv2d_2b_1x1
  *=64:1x1~0.1
Conv2d_2c_3x3
  *=192:3x3
MaxPool_3a_3x3
  *:3x3/2
Mixed_3b
  C0a_1x1=64:1x1
  C0a_1x1=64:1x1~0.09 C0b_3x3=64:3x3
  C0a_1x1=64:1x1~0.09 C0b_3x3=96:3x3 C0c_3x3=96:3x3
  A0a_3x3:3x3 C0b_1x1=32:1x1~0.1
Mixed_3c
  C0a_1x1=64:1x1
  C0a_1x1=64:1x1~0.09 C0b_3x3=96:3x3
  C0a_1x1=64:1x1~0.09 C0b_3x3=96:3x3 C0c_3x3=96:3x3
  A0a_3x3:3x3 C0b_1x1=64:1x1~0.1
Mixed_4a
  C0a_1x1=128:1x1~0.09 C1a_3x3=160:3x3/2
  C0a_1x1=64:1x1~0.09 C0b_3x3=96:3x3 C1a_3x3=96:3x3/2
  M1a_3x3:3x3/2
Mixed_4b
  C0a_1x1=224:1x1
  C0a_1x1=64:1x1~0.09 C0b_3x3=96:3x3
  C0a_1x1=96:1x1~0.09 C0b_3x3=128:3x3 C0c_3x3=128:3x3
  A0a_3x3:3x3 C0b_1x1=128:1x1~0.1
Mixed_4c
  C0a_1x1=192:1x1
  C0a_1x1=96:1x1~0.09 C0b_3x3=128:3x3
  C0a_1x1=96:1x1~0.09 C0b_3x3=128:3x3 C0c_3x3=128:3x3
  A0a_3x3:3x3 C0b_1x1=128:1x1~0.1
Mixed_4d
  C0a_1x1=160:1x1
  C0a_1x1=128:1x1~0.09 C0b_3x3=160:3x3
  C0a_1x1=128:1x1~0.09 C0b_3x3=160:3x3 C0c_3x3=160:3x3
  A0a_3x3:3x3 C0b_1x1=96:1x1~0.1
Mixed_4e
  C0a_1x1=96:1x1
  C0a_1x1=128:1x1~0.09 C0b_3x3=192:3x3
  C0a_1x1=160:1x1~0.09 C0b_3x3=192:3x3 C0c_3x3=192:3x3
  A0a_3x3:3x3 C0b_1x1=96:1x1~0.1
Mixed_5a
  C0a_1x1=128:1x1~0.09 C1a_3x3=192:3x3/2
  C0a_1x1=192:1x1~0.09 C0b_3x3=256:3x3 C1a_3x3=256:3x3/2
  M1a_3x3:3x3/2
Mixed_5b
  C0a_1x1=352:1x1
  C0a_1x1=192:1x1~0.09 C0b_3x3=320:3x3
  C0a_1x1=160:1x1~0.09 C0b_3x3=224:3x3 C0c_3x3=224:3x3
  A0a_3x3:3x3 C0b_1x1=128:1x1~0.1
Mixed_5c
  C0a_1x1=352:1x1
  C0a_1x1=192:1x1~0.09 C0b_3x3=320:3x3
  C0a_1x1=192:1x1~0.09 C0b_3x3=224:3x3 C0c_3x3=224:3x3
  M0a_3x3:3x3 C0b_1x1=128:1x1~0.1
"""
"""Ioffe and Szegedy, Batch normalization, 2015. The first layer is a separable one."""

INCEPTION_V3: Final = """
Conv2d_1a_3x3
  *=32:3x3/2
Conv2d_2a_3x3
  *=32:3x3
Conv2d_2b_3x3
  *=64:3x3S
MaxPool_3a_3x3
  *:3x3/2
Conv2d_3b_1x1
  *=80:1x1
Conv2d_4a_3x3
  *=192:3x3
MaxPool_5a_3x3
  *:3x3/2
Mixed_5b
  C0a_1x1=64:1x1
  C0a_1x1=48:1x1 C0b_5x5=64:5x5
  C0a_1x1=64:1x1 C0b_3x3=96:3x3 C0c_3x3=96:3x3
  A0a_3x3:3x3 C0b_1x1=32:1x1
Mixed_5c
  C0a_1x1=64:1x1
  C0b_1x1=48:1x1 Conv_1_0c_5x5=64:5x5
  C0a_1x1=64:1x1 C0b_3x3=96:3x3 C0c_3x3=96:3x3
  A0a_3x3:3x3 C0b_1x1=64:1x1
Mixed_5d
  C0a_1x1=64:1x1
  C0a_1x1=48:1x1 C0b_5x5=64:5x5
  C0a_1x1=64:1x1 C0b_3x3=96:3x3 C0c_3x3=96:3x3
  A0a_3x3:3x3 C0b_1x1=64:1x1
Mixed_6a
  C1a_1x1=384:3x3/2V
  C0a_1x1=64:1x1 C0b_3x3=96:3x3 C1a_1x1=96:3x3/2V
  M1a_3x3:3x3/2V
Mixed_6b
  C0a_1x1=192:1x1
  C0a_1x1=128:1x1 C0b_1x7=128:1x7 C0c_7x1=192:7x1
  C0a_1x1=128:1x1 C0b_7x1=128:7x1 C0c_1x7=128:1x7 C0d_7x1=128:7x1 C0e_1x7=192:1x7
  A0a_3x3:3x3 C0b_1x1=192:1x1
Mixed_6c
  C0a_1x1=192:1x1
  C0a_1x1=160:1x1 C0b_1x7=160:1x7 C0c_7x1=192:7x1
  C0a_1x1=160:1x1 C0b_7x1=160:7x1 C0c_1x7=160:1x7 C0d_7x1=160:7x1 C0e_1x7=192:1x7
  A0a_3x3:3x3 C0b_1x1=192:1x1
Mixed_6d
  C0a_1x1=192:1x1
  C0a_1x1=160:1x1 C0b_1x7=160:1x7 C0c_7x1=192:7x1
  C0a_1x1=160:1x1 C0b_7x1=160:7x1 C0c_1x7=160:1x7 C0d_7x1=160:7x1 C0e_1x7=192:1x7
  A0a_3x3:3x3 C0b_1x1=192:1x1
Mixed_6e
  C0a_1x1=192:1x1
  C0a_1x1=192:1x1 C0b_1x7=192:1x7 C0c_7x1=192:7x1
  C0a_1x1=192:1x1 C0b_7x1=192:7x1 C0c_1x7=192:1x7 C0d_7x1=192:7x1 C0e_1x7=192:1x7
  A0a_3x3:3x3 C0b_1x1=192:1x1
Mixed_7a
  C0a_1x1=192:1x1 C1a_3x3=320:3x3/2V
  C0a_1x1=192:1x1 C0b_1x7=192:1x7 C0c_7x1=192:7x1 C1a_3x3=192:3x3/2V
  M1a_3x3:3x3/2V
Mixed_7b
  C0a_1x1=320:1x1
  C0a_1x1=384:1x1 C0b_1x3=384:1x3&C0b_3x1=384:3x1
  C0a_1x1=448:1x1 C0b_3x3=384:3x3 C0c_1x3=384:1x3&C0d_3x1=384:3x1
  A0a_3x3:3x3 C0b_1x1=192:1x1
Mixed_7c
  C0a_1x1=320:1x1
  C0a_1x1=384:1x1 C0b_1x3=384:1x3&C0c_3x1=384:3x1
  C0a_1x1=448:1x1 C0b_3x3=384:3x3 C0c_1x3=384:1x3&C0d_3x1=384:3x1
  A0a_3x3:3x3 C0b_1x1=192:1x1
"""
"""Szegedy et al., Rethinking the Inception architecture, 2015."""
