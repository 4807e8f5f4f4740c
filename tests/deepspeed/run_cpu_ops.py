"""Runs DeepSpeed's CPU ops as DeepSpeed loads them, and compares each with a reference.

    run_cpu_ops.py [OP...]

Nothing may be compiled: PATH must hold no compiler, and every op must be the prebuilt one. Prints a
line for each op; ends with 1 when one is wrong. Older versions of DeepSpeed have fewer of them.
"""

import multiprocessing
import os
import shutil
import sys
import tempfile

import torch

import deepspeed
from deepspeed.ops.adagrad import DeepSpeedCPUAdagrad
from deepspeed.ops.adam import DeepSpeedCPUAdam
from deepspeed.ops.lion import DeepSpeedCPULion
from deepspeed.ops.op_builder.cpu import AsyncIOBuilder, ShareMemCommBuilder

SIZES = (1, 7, 64, 4099)
STEPS = 10
# Ten steps in float32 of values about 1 against float64: a few roundings a step.
TOLERANCE = 2e-6


def largest_difference(make_optimizer, make_reference):
    """Of parameters after some steps with the same gradients, over all sizes."""
    worst = 0.0
    for size in SIZES:
        generator = torch.Generator().manual_seed(size)
        start = torch.randn(size, generator=generator)
        gradients = torch.randn(STEPS, size, generator=generator)
        own = torch.nn.Parameter(start.clone())
        reference = torch.nn.Parameter(start.double())
        optimizers = make_optimizer([own]), make_reference([reference])
        for gradient in gradients:
            own.grad = gradient.clone()
            reference.grad = gradient.double()
            for optimizer in optimizers:
                optimizer.step()
        worst = max(worst, (own.data.double() - reference.data).abs().max().item())
    return worst


class Lion(torch.optim.Optimizer):
    """Lion by its definition (https://arxiv.org/abs/2302.06675, algorithm 2), in float64."""

    def __init__(self, parameters, lr, betas, weight_decay):
        super().__init__(parameters, {"lr": lr, "betas": betas, "decay": weight_decay})

    def step(self):
        for group in self.param_groups:
            for parameter in group["params"]:
                momentum = self.state[parameter].setdefault("m", torch.zeros_like(parameter))
                beta1, beta2 = group["betas"]
                update = (beta1 * momentum + (1 - beta1) * parameter.grad).sign()
                parameter.data.mul_(1 - group["lr"] * group["decay"]).sub_(group["lr"] * update)
                momentum.mul_(beta2).add_(parameter.grad, alpha=1 - beta2)


def check_optimizers(wanted):
    lr, decay = 1e-2, 0.1
    rows = {
        "cpu_adam": (
            lambda p: DeepSpeedCPUAdam(p, lr=lr, weight_decay=decay, adamw_mode=True),
            lambda p: torch.optim.AdamW(p, lr=lr, weight_decay=decay),
        ),
        "cpu_adagrad": (
            lambda p: DeepSpeedCPUAdagrad(p, lr=lr, eps=1e-10),
            lambda p: torch.optim.Adagrad(p, lr=lr, eps=1e-10),
        ),
        "cpu_lion": (
            lambda p: DeepSpeedCPULion(p, lr=lr, betas=(0.9, 0.99), weight_decay=decay),
            lambda p: Lion(p, lr=lr, betas=(0.9, 0.99), weight_decay=decay),
        ),
    }
    good = True
    for op in sorted(wanted & rows.keys()):
        own, reference = rows[op]
        difference = largest_difference(own, reference)
        right = difference <= TOLERANCE
        good = good and right
        print(f"{op}: largest difference {difference:.1e} {'ok' if right else 'WRONG'}")
    return good


def check_async_io():
    """A tensor written and read back is the same, bit for bit."""
    handle = AsyncIOBuilder().load().aio_handle(1 << 12, 4, False, False, 1)
    data = torch.randint(0, 256, (1 << 16,), dtype=torch.uint8)
    back = torch.zeros_like(data)
    with tempfile.NamedTemporaryFile() as file:
        written = handle.sync_pwrite(data, file.name, 0)
        read = handle.sync_pread(back, file.name, 0)
    right = written == read and torch.equal(data, back)
    print(f"async_io: {data.numel()} bytes there and back {'ok' if right else 'WRONG'}")
    return right


def reduce_in_rank(rank, count, port, results):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RANK=str(rank),
                      WORLD_SIZE=str(count), LOCAL_SIZE=str(count), LOCAL_RANK=str(rank))
    ShareMemCommBuilder().load().initialize(count, rank)
    tensor = torch.arange(256, dtype=torch.float32) * (rank + 1)
    torch.ops.deepspeed.inference_all_reduce_(tensor)
    results.put((rank, tensor.numpy()))


def check_shared_memory():
    """Two processes sum a tensor through shared memory."""
    count, port = 2, 29517
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    ranks = [context.Process(target=reduce_in_rank, args=(rank, count, port, results))
             for rank in range(count)]
    for rank in ranks:
        rank.start()
    got = [torch.from_numpy(results.get(timeout=120)[1]) for _ in ranks]
    for rank in ranks:
        rank.join()
    expected = torch.arange(256, dtype=torch.float32) * sum(range(1, count + 1))
    right = all(torch.equal(one, expected) for one in got)
    print(f"deepspeed_shm_comm: sum over {count} processes {'ok' if right else 'WRONG'}")
    return right


def main():
    for compiler in ("c++", "g++", "cc", "gcc", "clang++", "ninja", "nvcc"):
        if shutil.which(compiler):
            sys.exit(f"{compiler} is on PATH, so that nothing is proved")
    print(f"deepspeed {deepspeed.__version__}, torch {torch.__version__}")
    wanted = set(sys.argv[1:] or ("cpu_adam", "cpu_adagrad", "cpu_lion", "async_io", "deepspeed_shm_comm"))
    good = [check_optimizers(wanted)]
    if "async_io" in wanted:
        good.append(check_async_io())
    if "deepspeed_shm_comm" in wanted:
        good.append(check_shared_memory())
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
