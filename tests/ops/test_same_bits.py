"""The same bits from every compiler, CPU level, emu and number of threads, and from one day to the
next: a hash of each op's results for inputs that are made of integers alone."""
import hashlib
import os
from pathlib import Path

import numpy as np
import pytest
from formats import FORMATS

# A new hash here is a change of results for every user: it needs a line in CHANGELOG.md.
GOLDEN = {
    "adam": "dbdce5adae9dc402",
    "layer_norm_fp32": "566e89ad796152d3",
    "layer_norm_bf16": "8b83410c3d69a8a2",
    "layer_norm_fp16": "36d7b137dacb1ccf",
    "bias_gelu_fp32": "47012d1367b6b613",
    "bias_gelu_bf16": "89cc94a887066c8e",
    "bias_gelu_fp16": "cddf02df03937756",
}
HARD = np.array([0x00000000, 0x80000000, 0x00000001, 0x807FFFFF, 0x00800000, 0x7F7FFFFF,
                 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC01234, 0x7F800001, 0x33000000,
                 0x387FE000, 0x477FF000], np.uint32).view(np.float32)


def numbers(count, seed, hard=True):
    """Floats in [-2, 2), every 37th of them a hard one."""
    index = np.arange(1, count + 1, dtype=np.uint64) + np.uint64(seed * 1000003)
    mixed = index * np.uint64(6364136223846793005)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    out = ((mixed >> np.uint64(40)).astype(np.float64) / 2**22 - 2).astype(np.float32)
    if hard:
        out[::37] = HARD[np.arange(out[::37].size) % HARD.size]
    return out


def digest(arrays):
    hashed = hashlib.sha256()
    for array in arrays:
        hashed.update(array.tobytes())
    return hashed.hexdigest()[:16]


def check(name, got):
    assert got == GOLDEN[name], f"{name}: expected {GOLDEN[name]}, got {got}"


def test_the_image_of_the_level_that_is_tested_is_the_one_that_runs(adam_op):
    one = [np.ones(1, np.float32)]
    adam_op.adam(params=one, grads=[one[0].copy()], exp_avgs=[one[0].copy()],
                 exp_avg_sqs=[one[0].copy()], step=1)
    assert os.path.realpath(adam_op.image) in Path("/proc/self/maps").read_text()


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_adam_has_the_golden_bits(adam, threads):
    results = []
    for case in ({}, {"weight_decay": 0.1}, {"weight_decay": 0.1, "adamw": False}):
        sizes = [1, 31, 4096, 4097, 70001]
        lists = [[numbers(n + 1, 10 * k + i)[1:] for i, n in enumerate(sizes)] for k in range(4)]
        lists[3] = [np.abs(a) for a in lists[3]]
        for step in (1, 2, 3):
            adam(params=lists[0], grads=lists[1], exp_avgs=lists[2], exp_avg_sqs=lists[3],
                 step=step, lr=0.01, num_threads=threads, **case)
        results += lists[0] + lists[2] + lists[3]
    check("adam", digest(results))


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
@pytest.mark.parametrize("format_", FORMATS.values(), ids=FORMATS.keys())
def test_transformer_has_the_golden_bits(transformer, format_, threads):
    results = {"layer_norm": [], "bias_gelu": []}
    for rows, cols in [(1, 1), (70, 63), (90, 64), (33, 65), (17, 1000), (9, 2049)]:
        # A hard number spoils a whole row of layer_norm: some rows only have them.
        plain = numbers(rows * cols, cols, hard=False).reshape(rows, cols)
        spoilt = numbers(rows * cols, cols).reshape(rows, cols)
        x = np.where(np.arange(rows)[:, None] % 4 == 0, spoilt, plain)
        x, weight, bias = (format_.from_float(a) for a in (x, numbers(cols, 5, hard=False),
                                                           numbers(cols, 6, hard=False)))
        y = np.zeros_like(x)
        mean, rstd = np.zeros(rows, np.float32), np.zeros(rows, np.float32)
        as_argument = format_.argument
        transformer.layer_norm(x=as_argument(x), weight=as_argument(weight), bias=as_argument(bias),
                               y=as_argument(y), mean=mean, rstd=rstd, num_threads=threads)
        results["layer_norm"] += [y.copy(), mean, rstd]
        transformer.bias_gelu(x=as_argument(x), bias=as_argument(bias), y=as_argument(y),
                              num_threads=threads)
        results["bias_gelu"] += [y.copy()]
    for function, arrays in results.items():
        check(f"{function}_{format_.name}", digest(arrays))
