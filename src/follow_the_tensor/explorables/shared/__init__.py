"""What all explorables share, in Python and in the browser."""
