"""Variables of both kinds, how they are named, shared, cut up, initialised; knows no gradients."""
