# Knows: where the tests of ops/ find what they test: bundles that dsbuild made of all ops and of
# numbers.json, one by each compiler. Does not know what an op does.
import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "packaging" / "python")]

import dsops  # noqa: E402

# Who built it -> the folder of a bundle.
BUNDLES = {Path(name).name: Path(name)
           for name in os.environ.get("DSBUILD_TEST_BUNDLES", "").split(os.pathsep) if name}
# Of each CPU level, what tells it from the one below (as Linux names it); others need nothing.
LEVEL_FLAGS = {"x86-64-v3": {"avx2", "fma", "bmi2"}, "x86-64-v4": {"avx512bw", "avx512vl"}}
CPU_FLAGS = set(Path("/proc/cpuinfo").read_text().split())


def pytest_configure():
    if not BUNDLES:
        pytest.exit("DSBUILD_TEST_BUNDLES names no bundle; tests/e2e/kernels_same_bits.sh makes some", 2)


def images_of(op):
    """[(op, who built it, accelerator, arch)] of what can run here."""
    return [(op, name, accelerator, image.stem)
            for name, bundle in BUNDLES.items() for accelerator in ("cpu", "emu")
            for image in sorted((bundle / "images" / op / accelerator).glob("*.so"))
            if LEVEL_FLAGS.get(image.stem, set()) <= CPU_FLAGS]


def pytest_report_header():
    can_run = {row[3] for row in images_of("transformer")}
    return [f"ops: {', '.join(BUNDLES)}; this CPU runs {', '.join(sorted(can_run))}"]


OPEN = {}  # (who built it, accelerator, arch) -> a bundle that loads that image when it is called


class Op:
    """An op of a bundle on one accelerator: its functions, with num_threads as an argument."""

    def __init__(self, row, monkeypatch):
        op, name, self.accelerator, arch = row
        if self.accelerator == "cpu":
            monkeypatch.setenv("DSOPS_MAX_CPU_LEVEL", arch)
        if row[1:] not in OPEN:
            OPEN[row[1:]] = dsops.open(str(BUNDLES[name]))
        self.op = OPEN[row[1:]][op]
        self.image = f"{BUNDLES[name]}/images/{op}/{self.accelerator}/{arch}.so"

    def __getattr__(self, function):
        def call(num_threads=0, **arguments):
            where = dsops.Exec(device=self.accelerator, num_threads=num_threads)
            return getattr(self.op, function)(**arguments, exec=where)
        return call


@pytest.fixture(params=images_of("transformer"), ids="-".join)
def transformer(request, monkeypatch):
    return Op(request.param, monkeypatch)


@pytest.fixture(params=images_of("cpu_adam") + images_of("fused_adam"), ids="-".join)
def adam_op(request, monkeypatch):
    return Op(request.param, monkeypatch)


@pytest.fixture
def adam(adam_op):
    return adam_op.adam
