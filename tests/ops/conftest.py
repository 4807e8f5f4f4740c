# Knows: where the tests of ops/ find what they test: the bundle in DSOPS_BUNDLE, or bundles that
# are made here, one by each compiler. Does not know what an op does.
import os
import platform
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "e2e"), str(HERE.parents[1] / "packaging" / "python")]

import dsops  # noqa: E402
import kernels_build  # noqa: E402

# Of each CPU level, what tells it from the one below (as Linux names it); others need nothing.
LEVEL_FLAGS = {"x86-64-v3": {"avx2", "fma", "bmi2"}, "x86-64-v4": {"avx512bw", "avx512vl"}}
CPU_FLAGS = set(Path("/proc/cpuinfo").read_text().split())
LEVELS = [name for name in kernels_build.cpu_levels() if LEVEL_FLAGS.get(name, set()) <= CPU_FLAGS]
BUNDLE = os.environ.get("DSOPS_BUNDLE")


def pytest_report_header():
    left_out = [level for level in kernels_build.cpu_levels() if level not in LEVELS]
    return [f"ops: {BUNDLE or 'bundles built by ' + ', '.join(kernels_build.find_cxx())}",
            f"ops: this CPU runs {', '.join(LEVELS)}; not tested: {', '.join(left_out) or 'none'}"]


def images_of(op):
    """[(op, who built it, accelerator, arch)] that can run here: of the bundle in DSOPS_BUNDLE what
    it has, else each compiler's."""
    rows = [("cpu", level) for level in LEVELS] + [("emu", platform.machine())]
    rows = [row for row in rows if row[0] in kernels_build.OPS[op][1]]
    if BUNDLE:
        images = Path(BUNDLE) / "images" / op
        return [(op, "bundle", *row) for row in rows if (images / row[0] / f"{row[1]}.so").exists()]
    return [(op, name, *row) for name in kernels_build.find_cxx() for row in rows]


@pytest.fixture(scope="session")
def bundles(tmp_path_factory):
    """Who built it -> the folder of a bundle."""
    if BUNDLE:
        return {"bundle": BUNDLE}
    root, work = kernels_build.ROOT, tmp_path_factory.mktemp("bundles")
    compilers = kernels_build.find_cxx()
    libdsops = kernels_build.Builder(root, work).libdsops(next(iter(compilers.values())))
    return {name: kernels_build.Builder(root, work / name).bundle(
        "gcc" if name == "g++" else "clang", path, libdsops) for name, path in compilers.items()}


OPEN = {}  # (who built it, accelerator, arch) -> a bundle that loads that image when it is called


class Op:
    """An op of a bundle on one accelerator: its functions, with num_threads as an argument."""

    def __init__(self, row, bundles, monkeypatch):
        op, name, self.accelerator, arch = row
        if self.accelerator == "cpu":
            monkeypatch.setenv("DSOPS_MAX_CPU_LEVEL", arch)
        if row[1:] not in OPEN:
            OPEN[row[1:]] = dsops.open(str(bundles[name]))
        self.op = OPEN[row[1:]][op]
        self.image = f"{bundles[name]}/images/{op}/{self.accelerator}/{arch}.so"

    def __getattr__(self, function):
        def call(num_threads=0, **arguments):
            where = dsops.Exec(device=self.accelerator, num_threads=num_threads)
            return getattr(self.op, function)(**arguments, exec=where)
        return call


@pytest.fixture(params=images_of("transformer"), ids="-".join)
def transformer(request, bundles, monkeypatch):
    return Op(request.param, bundles, monkeypatch)


@pytest.fixture(params=images_of("cpu_adam") + images_of("fused_adam"), ids="-".join)
def adam_op(request, bundles, monkeypatch):
    return Op(request.param, bundles, monkeypatch)


@pytest.fixture
def adam(adam_op):
    return adam_op.adam
