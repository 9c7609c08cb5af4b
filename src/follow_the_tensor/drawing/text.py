"""Blocks of text, each a list of lines, put side by side or one on the other."""

WIDTH = 80


def stack(blocks):
    """One on the other, each in the middle; empty lines at the top are left out."""
    lines = [line for block in blocks for line in block if line]
    widest = max(map(len, lines), default=0)
    # Lines of one block keep their places to each other, so they are padded alike.
    padded = []
    for block in blocks:
        width = max(map(len, block), default=0)
        padded += [" " * ((widest - width) // 2) + line for line in block if line]
    return [line.ljust(widest) for line in padded]


def beside(blocks):
    """Side by side, each in the middle of the height; a new row where a line would be too long."""
    rows, room = [[]], WIDTH
    for block in blocks:
        width = max(map(len, block), default=0) + 2
        if rows[-1] and width > room:
            rows.append([])
            room = WIDTH
        rows[-1].append(block)
        room -= width
    return [line for row in rows for line in _row(row)]


def _row(blocks):
    height = max(map(len, blocks), default=0)
    columns = []
    for block in blocks:
        width = max(map(len, block), default=0)
        above = (height - len(block)) // 2
        lines = [""] * above + block + [""] * (height - len(block) - above)
        columns.append([line.ljust(width) for line in lines])
    return ["  ".join(parts).rstrip() for parts in zip(*columns, strict=True)]
