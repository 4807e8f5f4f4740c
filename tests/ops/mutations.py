"""Breaks the ops, one way at a time, and sees that the tests notice.

    python3 mutations.py FOLDER DSBUILD

Each row changes one line of a copy of the sources, has dsbuild bring the bundle up to date, and runs
the tests that it names; a mutant that passes them is a failure.
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

MUTANTS = [  # name, file, line as it is, line as it becomes, tests that must fail
    ("adam does nothing", "ops/common/adam.h",
     "return {param - update, m, v};", "return {param, exp_avg, exp_avg_sq};", "test_adam.py"),
    ("adam keeps the parameters", "ops/common/adam.h",
     "return {param - update, m, v};", "return {param, m, v};", "test_adam.py"),
    ("adam goes the wrong way", "ops/common/adam.h",
     "return {param - update, m, v};", "return {param + update, m, v};", "test_adam.py"),
    ("adam drops the decoupled decay", "ops/common/adam.h",
     "if (kDecay == AdamDecay::decoupled) update += numbers.decay_factor * param;", "",
     "test_adam.py"),
    ("adam drops the L2 decay", "ops/common/adam.h",
     "if (kDecay == AdamDecay::l2) grad += numbers.decay_factor * param;", "", "test_adam.py"),
    ("adam ignores grad_scale", "ops/common/adam.h",
     "grad *= numbers.grad_factor;", "", "test_adam.py"),
    ("adam swaps the corrections", "ops/common/adam_host.h",
     "const double correction2 = correct ? 1 - integer_power(beta2,",
     "const double correction2 = correct ? 1 - integer_power(beta1,", "test_adam.py"),
    ("adam forgets the last chunk", "ops/common/adam.h",
     "return (numel + kAdamChunk - 1) / kAdamChunk;", "return numel / kAdamChunk;", "test_adam.py"),
    ("layer_norm does nothing", "ops/transformer/transformer.h",
     "return (x - stats.mean) * stats.rstd * weight + bias;", "return x;", "test_transformer.py"),
    ("layer_norm sums without a shift", "ops/transformer/kernels.cpp",
     "const float shift = sum_lanes(lanes) * args.one_over_first;", "const float shift = 0.0f;",
     "test_transformer.py"),
    ("layer_norm drops eps", "ops/transformer/transformer.h",
     "sqrt_f32(positive + args.eps)", "sqrt_f32(positive)", "test_transformer.py"),
    ("gelu is relu", "ops/common/math.h",
     "return x * (x < 0.0f ? e : 1.0f) / (1.0f + e);", "return x < 0.0f ? 0.0f : x;",
     "test_transformer.py"),
    ("bias_gelu drops the bias", "ops/transformer/transformer.h",
     "return gelu_f32(x + bias);", "return gelu_f32(x);", "test_transformer.py"),
    ("bfloat16 is cut, not rounded", "ops/common/device.h",
     "(bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16", "bits >> 16", "test_transformer.py"),
    ("ties go up, not to even", "ops/common/device.h",
     "0xfffu + ((magnitude >> 13) & 1u)", "0x1000u", "test_numbers.py"),
    ("subnormal halves are flushed", "ops/common/device.h",
     "magnitude < (113u << 23) ? subnormal : normal", "magnitude < (113u << 23) ? 0u : normal",
     "test_numbers.py"),
    ("the tree of the lanes is another", "ops/common/device.h",
     "for (int mask = kLanes / 4; mask > 0; mask /= 2) x +=",
     "for (int mask = 1; mask < kLanes / 2; mask *= 2) x +=", "test_same_bits.py"),
]


def make_tree(tree, dsbuild):
    """A copy of the sources, with a dsbuild of its own that takes them for its catalog."""
    for folder in ("ops", "manifests", "src/runtime", "src/cpu", "packaging/python", "tests/ops"):
        shutil.copytree(ROOT / folder, tree / "share" / "dsbuild" / folder,
                        ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "LICENSE", tree / "share" / "dsbuild")
    (tree / "bin").mkdir()
    shutil.copy(dsbuild, tree / "bin" / "dsbuild")
    return tree / "share" / "dsbuild"


def build(work):
    """The ops for the lowest CPU level and emu. Only what a mutant changed is compiled."""
    command = [work / "bin" / "dsbuild", "build", "--accelerators", "cpu,emu", "--arch", "x86-64-v2",
               "--manifest", work / "share/dsbuild/tests/ops/numbers.json",
               "--out", work / "bundle", "--build-dir", work / "build"]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{run.stdout}{run.stderr}")


def survives(work, source, mutant):
    """Whether the tests that the mutant must fail pass."""
    name, file, old, new, tests = mutant
    whole = (source / file).read_text()
    if whole.count(old) != 1:
        sys.exit(f"{file}: expected {old!r} once, found it {whole.count(old)} times")
    (source / file).write_text(whole.replace(old, new))
    build(work)
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider",
               source / "tests/ops" / tests]
    run = subprocess.run(command, env={**os.environ, "DSBUILD_TEST_BUNDLES": str(work / "bundle")},
                         capture_output=True, text=True)
    (source / file).write_text(whole)
    verdict = {0: "SURVIVED", 1: "killed"}.get(run.returncode)
    if verdict is None:  # not the tests' own
        sys.exit(f"{name}: {run.stdout}{run.stderr}")
    why = next((line for line in run.stdout.splitlines() if line.startswith("E  ")), "").strip("E ")
    print(f"{verdict}: {name}{': ' if why else ''}{why[:150]}", flush=True)
    return run.returncode == 0


def main():
    work = Path(sys.argv[1]).resolve()
    source = make_tree(work, sys.argv[2])
    survived = [mutant[0] for mutant in MUTANTS if survives(work, source, mutant)]
    print(f"{len(MUTANTS)} mutants, {len(survived)} survived")
    sys.exit(1 if survived else 0)


if __name__ == "__main__":
    main()
