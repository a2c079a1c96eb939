"""Resizing, color, boxes and files of images as arrays; knows no op."""
