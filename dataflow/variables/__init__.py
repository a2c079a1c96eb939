"""Variables of both kinds, how they are named, shared, cut up and initialised; knows no gradients."""
