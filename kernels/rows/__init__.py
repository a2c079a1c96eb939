"""Softmax, batch norm and local responses, row by row, by oneDNN; knows no image."""
