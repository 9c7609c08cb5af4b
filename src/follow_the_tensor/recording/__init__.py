"""Show the source of what runs, and record a call of it line by line."""
