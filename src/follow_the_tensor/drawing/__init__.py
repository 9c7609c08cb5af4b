"""How tensors look: one palette, and figures of attention."""
