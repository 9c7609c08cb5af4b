import math

import pytest
import torch
import torch.nn.functional as F

from follow_the_tensor import Transformer
from follow_the_tensor.dates import parallel, training
from follow_the_tensor.dates.training import (
    Run,
    Settings,
    batch_rows,
    exact_match,
    rate_factor,
    shift,
    train,
    train_step,
)
from follow_the_tensor.generation import trim
from tests.support.helpers import refuses

# Copy a short word: BOS 1, EOS 2, letters from 4 on.
WORDS = [[4, 5], [5, 4], [6, 7, 4], [7], [4, 4], [5, 6, 7], [6], [7, 7]]
SRC = torch.tensor([word + [2] + [0] * (3 - len(word)) for word in WORDS])  # [8, 4]
TGT = torch.tensor([[1, *word, 2] + [0] * (3 - len(word)) for word in WORDS])  # [8, 5]


def new_run(**changes):
    settings = Settings(**{"steps": 6, "batch": 4, "warmup": 2, "rate": 1e-2, **changes})
    torch.manual_seed(0)
    model = Transformer(8, 8, 12, 3, 24, 1, dropout=settings.dropout, max_len=8)
    return Run(model, SRC, TGT, settings)


def weights(run):
    return torch.cat([p.detach().flatten() for p in run.model.parameters()])


def test_shift_drops_the_last_input_and_the_first_label():  # article-map row 9.3
    inputs, labels = shift(torch.tensor([[1, 8, 9, 2, 0]]))
    assert inputs.tolist() == [[1, 8, 9, 2]]
    assert labels.tolist() == [[8, 9, 2, 0]]


def test_the_rate_climbs_in_a_line_and_sinks_along_a_cosine():
    rates = [rate_factor(step, warmup=4, steps=12) for step in range(13)]
    assert rates[:5] == [0.25, 0.5, 0.75, 1.0, 1.0]
    assert rates[8] == pytest.approx(0.5)
    assert rates[12] == pytest.approx(0.0)
    assert sorted(rates[4:], reverse=True) == rates[4:]
    assert rate_factor(3, warmup=10, steps=5) == 0.4  # the run ends before the warm-up


def test_an_epoch_takes_each_row_once_and_the_next_in_another_order():
    epochs = [[batch_rows(12, 4, 3 * epoch + n, seed=5) for n in range(3)] for epoch in range(2)]
    first, second = (torch.cat(rows) for rows in epochs)
    assert sorted(first.tolist()) == sorted(second.tolist()) == list(range(12))
    assert not torch.equal(first, second)
    assert torch.equal(batch_rows(12, 4, 4, seed=5), second[4:8])
    assert not torch.equal(batch_rows(12, 4, 4, seed=6), second[4:8])
    # Rows that fill no batch wait for another epoch.
    assert len(set(torch.cat([batch_rows(10, 4, step, seed=0) for step in range(2)]).tolist())) == 8


def test_the_loss_is_the_mean_over_labels_that_are_no_padding():
    run = new_run(dropout=0.0)
    inputs, labels = TGT[:, :-1], TGT[:, 1:]
    logits = run.model(SRC, inputs)
    log_p = logits.log_softmax(-1)
    terms = [-log_p[b, t, labels[b, t]] for b in range(8) for t in range(4) if labels[b, t] != 0]
    expected = sum(terms).item() / len(terms)
    assert train_step(run, SRC, TGT) == pytest.approx(expected, rel=1e-5)


def test_a_step_is_the_update_of_adamw_with_a_clipped_gradient():
    run, by_hand = new_run(dropout=0.0, clip=0.1), new_run(dropout=0.0).model
    train_step(run, SRC, TGT)
    inputs, labels = shift(TGT)
    loss = F.cross_entropy(by_hand(SRC, inputs).transpose(1, 2), labels, ignore_index=0)
    loss.backward()
    norm = math.sqrt(sum(p.grad.square().sum().item() for p in by_hand.parameters()))
    assert norm > 0.1
    for ours, theirs in zip(run.model.parameters(), by_hand.parameters(), strict=True):
        assert torch.allclose(ours.grad, theirs.grad * (0.1 / norm), atol=1e-6)
    optimizer = torch.optim.AdamW(by_hand.parameters(), lr=1e-2 / 2)  # first of 2 warm-up steps
    for ours, theirs in zip(run.model.parameters(), by_hand.parameters(), strict=True):
        theirs.grad = ours.grad.clone()
    optimizer.step()
    for ours, theirs in zip(run.model.parameters(), by_hand.parameters(), strict=True):
        assert torch.allclose(ours, theirs, atol=1e-7)


def test_gradients_do_not_pile_up_from_step_to_step():
    run = new_run(dropout=0.0, clip=1e9)
    for _ in range(3):
        before = [p.detach().clone() for p in run.model.parameters()]
        train_step(run, SRC, TGT)
        fresh = new_run(dropout=0.0, clip=1e9)
        with torch.no_grad():
            for parameter, value in zip(fresh.model.parameters(), before, strict=True):
                parameter.copy_(value)
        train_step(fresh, SRC, TGT)
    for ours, theirs in zip(run.model.parameters(), fresh.model.parameters(), strict=True):
        assert torch.allclose(ours.grad, theirs.grad, atol=1e-5)


def test_each_step_has_the_rate_of_the_schedule():
    run, rates = new_run(), []
    rates.append(run.optimizer.param_groups[0]["lr"])
    train(run, after_step=lambda loss: rates.append(run.optimizer.param_groups[0]["lr"]))
    assert rates == pytest.approx([1e-2 * rate_factor(step, 2, 6) for step in range(7)])


def test_processes_share_the_rows_of_a_batch(monkeypatch):
    run, shares = new_run(steps=1), []
    monkeypatch.setattr(parallel, "world_size", lambda: 2)
    monkeypatch.setattr(training, "train_step", lambda run, src, tgt: shares.append(src))
    for rank in range(2):
        monkeypatch.setattr(parallel, "rank", lambda rank=rank: rank)
        run.step = 0
        train(run)
    rows = batch_rows(8, 4, 0, seed=0)
    for rank, src in enumerate(shares):
        assert torch.equal(src, trim(SRC[rows[rank::2]], 0))


def test_train_stops_where_it_is_told():
    run, losses = new_run(), []
    run.model.eval()
    train(run, until=2, after_step=losses.append)
    assert run.model.training
    assert run.step == len(losses) == 2
    train(run, after_step=lambda loss: True)
    assert run.step == 3


def test_a_model_learns_to_copy_and_the_pad_rows_stay_zero():
    run, losses = new_run(steps=80, batch=8, dropout=0.0, rate=2e-2), []
    train(run, after_step=losses.append)
    assert losses[-1] < 0.05 < 1 < losses[0]
    assert exact_match(run.model, SRC, TGT).all()
    assert not run.model.src_embedding.weight[0].any()
    assert not run.model.tgt_embedding.weight[0].any()


def test_exact_match_counts_whole_answers_row_by_row():
    run = new_run(steps=80, batch=8, dropout=0.0, rate=2e-2)
    train(run)
    wrong = TGT.clone()
    wrong[0, 1] = 7  # another letter
    wrong[2, 3:] = torch.tensor([2, 0])  # one letter fewer
    wrong[3, 2:4] = torch.tensor([7, 2])  # one letter more
    expected = [False, True, False, False, True, True, True, True]
    assert exact_match(run.model, SRC, wrong).tolist() == expected
    assert exact_match(run.model, SRC, wrong, at_once=3).tolist() == expected


def test_a_batch_too_small_for_its_processes_is_refused(monkeypatch):
    monkeypatch.setattr(parallel, "world_size", lambda: 5)
    with refuses(ValueError, "batch: ", "5 processes", "got 4"):
        new_run()
