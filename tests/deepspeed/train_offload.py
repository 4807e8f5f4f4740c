"""Trains a small network with ZeRO's optimizer offload and prints the loss of each step, exactly.

The optimizer on the CPU is DeepSpeedCPUAdam, so that two builds of cpu_adam can be compared by what
a training makes of them.
"""

import os

import torch

import deepspeed

STEPS = 12
CONFIG = {
    "train_micro_batch_size_per_gpu": 8,
    "optimizer": {"type": "AdamW", "params": {"lr": 1e-2}},
    "zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}},
    "bf16": {"enabled": False},
}


def main():
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29519", RANK="0", WORLD_SIZE="1",
                      LOCAL_RANK="0", LOCAL_SIZE="1")
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1))
    engine, *_ = deepspeed.initialize(model=model, model_parameters=model.parameters(),
                                      config=CONFIG)
    name = type(engine.optimizer.optimizer).__name__
    if name != "DeepSpeedCPUAdam":
        raise SystemExit(f"the optimizer is {name}, not DeepSpeedCPUAdam")
    inputs = torch.randn(8, 16)
    wanted = inputs.sum(dim=1, keepdim=True).sin()
    for _ in range(STEPS):
        loss = torch.nn.functional.mse_loss(engine(inputs), wanted)
        engine.backward(loss)
        engine.step()
        print(f"loss {loss.item().hex()}")


if __name__ == "__main__":
    main()
