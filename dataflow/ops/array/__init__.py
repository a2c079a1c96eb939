"""Ops on the arrangement of elements, whatever they are; imports `basic`, no arithmetic.

Shapes, fills, slices, concatenation, gathering and scattering, padding, transposition, choosing.
`reduction` and `broadcast_gradient` are here because gradients of this family and of arithmetic sum
over what was broadcast.
"""
