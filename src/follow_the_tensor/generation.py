"""Write a sequence token by token: greedy and beam search, with or without a cache."""

from contextlib import contextmanager

import torch

from .cache import key_value_cache
from .shapes import check_index, check_size


@torch.no_grad()
def generate(model, src, bos_id, eos_id, max_len, beam_size=1, use_cache=True):
    """Answer each row of `src` with the ids that the model finds most probable.

    Beam search keeps the `beam_size` best beginnings of an answer at each step; the
    score of one is the sum of the logarithms of its probabilities. With `beam_size=1`
    this is greedy search. PAD is never chosen. The model runs in eval mode and is
    then put back.

    Shapes:
        src: [B, Ls], integers
        returns: [B, L] with L <= max_len: BOS, the answer, EOS if it ended, then PAD

    Raises:
        ValueError: an id is outside its vocabulary, a sequence is longer than the
            model can take, or its logits leave nothing to choose from.
        TypeError: `src` does not hold integers, or a size is not an integer.
    """
    _check_limits(model, bos_id, eos_id, max_len, beam_size)
    cached = model.decoder if use_cache else []
    with evaluating(model), key_value_cache(cached) as cache:
        memory, src_mask = (
            x.repeat_interleave(beam_size, dim=0) for x in model.encode_with_mask(src)
        )  # [B*K, Ls, D] and [B*K, 1, 1, Ls]
        ids = torch.full((len(memory), 1), bos_id, device=src.device)  # [B*K, 1]
        # All beams of a row start alike, so that at first only one of them may go on.
        scores = memory.new_full((len(src), beam_size), float("-inf"))  # [B, K]
        scores[:, 0] = 0
        while ids.size(1) < max_len and not _all_ended(ids, beam_size, eos_id):
            logits = next_logits(model, ids, memory, src_mask, use_cache)  # [B*K, V]
            rows, tokens, scores = extend(ids, logits, scores, eos_id, model.pad_id)
            ids = torch.cat([ids[rows], tokens], dim=1)  # [B*K, L + 1]
            cache.reorder(rows)
    return trim(ids[::beam_size], model.pad_id)  # [B, L]


def next_logits(model, ids, memory, src_mask, use_cache):
    """Give the logits of the token after `ids`.

    Shapes:
        ids: [B, L]    memory: [B, Ls, D]    src_mask: [B, 1, 1, Ls]
        returns: [B, V]
    """
    if not use_cache:
        return model.decode(ids, memory, src_mask)[:, -1]
    # The newest position alone. It may look at all earlier ones, so it needs no mask.
    x = model.embed_target(ids)[:, -1:]  # [B, 1, D]
    for layer in model.decoder:
        x = layer(x, memory, src_mask)  # [B, 1, D]
    return model.to_logits(x)[:, -1]


def extend(ids, logits, scores, eos_id, pad_id):
    """Choose the K best one-token continuations among all the beams of each row.

    A beam that has ended is continued by PAD alone, which costs nothing.

    Shapes:
        ids: [B*K, L]    logits: [B*K, V]    scores: [B, K]
        returns: rows [B*K], the beams that go on; tokens [B*K, 1]; scores [B, K]
    """
    B, K = scores.shape
    V = logits.size(-1)
    log_p = torch.log_softmax(logits, dim=-1)  # [B*K, V]
    log_p[:, pad_id] = float("-inf")
    ended = (ids[:, 1:] == eos_id).any(dim=1)  # [B*K]
    log_p[ended] = float("-inf")
    log_p[ended, pad_id] = 0
    _check_choice(log_p, logits)
    totals = scores.unsqueeze(-1) + log_p.view(B, K, V)  # [B, K, V]
    # Best beam first. A stable sort leaves equal ones as they are: the lower id wins.
    totals, places = totals.flatten(1).sort(descending=True, stable=True)  # [B, K*V]
    scores, best = totals[:, :K], places[:, :K]
    first_beams = torch.arange(0, B * K, K, device=ids.device).unsqueeze(1)  # [B, 1]
    rows = (first_beams + best // V).flatten()  # [B*K]
    return rows, (best % V).view(-1, 1), scores


@contextmanager
def evaluating(model):
    """Put a model into eval mode, and on leaving put each module back as it was."""
    modes = {module: module.training for module in model.modules()}
    model.eval()
    try:
        yield model
    finally:
        for module, training in modes.items():
            module.training = training


def _all_ended(ids, beam_size, eos_id):
    # Scores only fall, so nothing can overtake a best beam that has ended.
    return (ids[::beam_size, 1:] == eos_id).any(dim=1).all().item()


def trim(ids, pad_id):
    """Drop the columns in which every row has PAD."""
    return ids[:, (ids != pad_id).any(dim=0)]


def _check_choice(log_p, logits):
    # A NaN counts as the largest number, and would be chosen. One of +inf makes NaN of all.
    hopeless = ~log_p.amax(dim=-1).isfinite()  # [B*K]
    if hopeless.any():
        logits = logits[hopeless][0]  # [V]
        kind = "NaN" if logits.isnan().any() else "inf" if logits.amax() > 0 else "-inf alone"
        raise ValueError(
            f"logits: expected finite numbers to choose a token from, got {kind}. Look for the "
            "parameter that brings it: [n for n, p in model.named_parameters() "
            "if not p.isfinite().all()]"
        )


def _check_limits(model, bos_id, eos_id, max_len, beam_size):
    check_size("max_len", max_len)
    check_size("beam_size", beam_size)
    if max_len > model.position.max_len:
        raise ValueError(
            f"max_len: expected at most the model's {model.position.max_len}, got {max_len}"
        )
    V = model.to_logits.out_features
    for name, value in (("bos_id", bos_id), ("eos_id", eos_id)):
        check_index(name, value, V)
        if value == model.pad_id:
            raise ValueError(f"{name}: expected an id other than PAD, got {value}")
