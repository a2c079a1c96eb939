"""Ways to carry a tensor from one device to another."""

from __future__ import annotations
