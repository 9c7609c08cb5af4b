"""Files with trained weights: float16 numbers, and beside them texts that say what they are."""

import torch

from .shapes import check_shape


def save_weights(path, model, metadata):
    """Write the parameters of `model` in float16, and `metadata`, a dict of texts.

    Raises:
        ModuleNotFoundError: safetensors is not installed.
    """
    from safetensors.torch import save_file

    save_file({name: weight.half() for name, weight in model.named_parameters()}, path, metadata)


def read_weights(path, expected):
    """Return the weights of a file by name, and its metadata, whose format must be `expected`.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is damaged, or is something else.
        ModuleNotFoundError: safetensors is not installed.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            weights = {name: file.get_tensor(name) for name in file.keys()}
    except SafetensorError as error:
        raise ValueError(f"weights: {path} is damaged or is no safetensors file") from error
    if metadata.get("format") != expected:
        raise ValueError(f"weights: expected the format {expected!r} in {path}")
    return weights, metadata


def copy_weights(weights, model):
    """Put `weights` into `model` and return it in eval mode.

    Raises:
        ValueError: the names or shapes are not those of the model.
    """
    parameters = dict(model.named_parameters())
    if weights.keys() != parameters.keys():
        different = sorted(weights.keys() ^ parameters.keys())
        raise ValueError(f"weights: expected the model's names, got others: {different}")
    with torch.no_grad():
        for name, parameter in parameters.items():
            check_shape(name, weights[name], *parameter.shape)
            parameter.copy_(weights[name])
    return model.eval()
