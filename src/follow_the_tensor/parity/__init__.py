"""Each layer beside its twin in PyTorch, and the largest difference between the two."""
