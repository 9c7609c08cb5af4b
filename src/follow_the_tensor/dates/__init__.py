"""A real task: texts that are dates, a model that reads them, and its training."""
