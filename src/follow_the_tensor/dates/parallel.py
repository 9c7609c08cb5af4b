"""The few things that training in several processes needs; in one process they do nothing."""

import os
from contextlib import contextmanager

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


@contextmanager
def processes():
    """Join the other processes if torchrun started this one, and leave them at the end."""
    joined = "WORLD_SIZE" in os.environ and dist.is_available()
    if joined:
        dist.init_process_group("gloo")
    try:
        yield
    finally:
        if joined:
            dist.destroy_process_group()


def world_size():
    return dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1


def rank():
    return dist.get_rank() if world_size() > 1 else 0


def wrap(model):
    """Make backward average the gradients of `model` over all processes."""
    return DistributedDataParallel(model) if world_size() > 1 else model


def total(number):
    """Add up a number, or a tensor of one, over all processes."""
    number = torch.as_tensor(number).clone()
    if world_size() > 1:
        dist.all_reduce(number)
    return number


def gather(tensor):
    """Return the list of what each process holds, in the order of their ranks."""
    if world_size() == 1:
        return [tensor]
    tensors = [torch.empty_like(tensor) for _ in range(world_size())]
    dist.all_gather(tensors, tensor)
    return tensors
