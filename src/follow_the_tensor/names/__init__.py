"""A language model: the decoder alone, which invents names, and its training."""
