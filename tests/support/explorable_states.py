"""Random states of the explorables, the awkward ones too: empty rows, odd and large sizes."""

import random

from follow_the_tensor import explorables


def softmax(rng):
    return {
        "scores": grid(rng, rng.randint(1, 5), rng.randint(1, 7)),
        "d_k": rng.choice([1, 4, 63, 256]),
        "sharpness": rng.choice([0.0, 0.3, 1.0, 5.0]),
        "axis": rng.choice([-1, 0]),
    }


def masks(rng):
    height, width = rng.randint(1, 16), rng.randint(1, 16)
    density = rng.choice([0.0, 0.2, 0.5, 1.0])
    return {
        "scores": grid(rng, height, width),
        "cells": [[rng.random() < density for _ in range(width)] for _ in range(height)],
        "real_keys": rng.randint(0, width),
        "causal": rng.random() < 0.5,
        "convention": rng.choice(["keeps", "blocks"]),
        "treatment": rng.choice(["ours", "-inf", "-1e9", "finfo.min"]),
    }


def positions(rng):
    base = rng.choice([1.0, 100.0, 10000.0])
    return {"d_model": rng.randint(1, 32), "length": rng.randint(1, 32), "base": base}


def layer_norm(rng):
    size = rng.randint(2, 8)
    return {
        "token": grid(rng, 1, size)[0],
        "sublayer": grid(rng, 1, size)[0],
        "order": rng.choice(["post", "pre"]),
        "variance": rng.choice(["biased", "unbiased"]),
        "rate": rng.choice([0.0, 0.5, 0.9]),
        "training": rng.random() < 0.5,
        "kept": [rng.random() < 0.5 for _ in range(size)],
    }


def memory(rng):
    sizes = {name: rng.randint(1, 4) for name in ("length", "heads", "d_k")}
    return {**sizes, "step": rng.choice(explorables.Memory.step.values)}


def broadcasting(rng):
    def shape():
        return [rng.choice([0, 1, 1, 2, 3]) for _ in range(rng.randint(0, 4))]

    return {"left": shape(), "right": shape()}


def predict(rng):
    given = [
        "",
        " ",
        "(2, 3)",
        "[2,3]",
        "torch.Size([2, 3])",
        "2 3",
        "0.33",
        "0.3333",
        "−1",
        "W_Q",
        "1",
    ]
    right = ["(2, 3)", "0.3333", "-1", "W_q", "True", "linear1"]
    return {"question": "?", "answer": rng.choice(right), "given": rng.choice(given)}


def model_map(rng):
    sizes = {name: rng.randint(1, 24) for name in ("B", "Ls", "Lt", "D", "d_ff", "V", "layers")}
    return {**sizes, "H": rng.randint(1, 4)}


def read_dates(rng):
    characters = "0123456789 .-mayärz年月日июля☃A\u3000"
    typed = "x" + "".join(rng.choices(characters, k=rng.choice([0, 5, 20, 62])))
    return {
        "text": rng.choice([typed, *explorables.ReadDates().examples]),
        "step": rng.randint(0, 10),
        "kind": rng.choice(explorables.ReadDates.kind.values),
        "layer": rng.randint(0, 1),
        "head": rng.randint(0, 3),
        "query": rng.randint(0, 62),
    }


def grid(rng, height, width):
    scale = rng.choice([1, 30, 1000])
    return [[round(rng.uniform(-scale, scale), 3) for _ in range(width)] for _ in range(height)]


STATES = {
    explorables.Softmax: softmax,
    explorables.Masks: masks,
    explorables.Positions: positions,
    explorables.LayerNorm: layer_norm,
    explorables.Memory: memory,
    explorables.Broadcasting: broadcasting,
    explorables.Predict: predict,
    explorables.ModelMap: model_map,
    explorables.ReadDates: read_dates,
}


def draw(explorable, count, seed=0):
    """`count` widgets of the class `explorable` in random states."""
    rng = random.Random(seed)
    return [explorable(**STATES[explorable](rng)) for _ in range(count)]
