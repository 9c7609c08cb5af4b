"""What `make bench` measures: one file for each part of its table."""
