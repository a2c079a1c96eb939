"""Update rules of variables as formulas, and the few passes that apply them; knows no graph.

A rule is run once on stand-ins; the formula found so becomes passes of oneDNN that give numpy's
bits for large float32 variables, a row of numpy calls for smaller ones. Rules that branch or
compare stay as they are.
"""
