# Knows: how to compile the kernels of ops/ with the commands of manifests/accelerators, before or
# without dsbuild. Does not know what the kernels do, nor how a bundle is checked.
import json
import os
import platform
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def read_ops():
    """Op -> (its kernels, its accelerators), from manifests/ops."""
    ops = {}
    for path in sorted((ROOT / "manifests" / "ops").glob("*.json")):
        manifest = json.loads(path.read_text())
        groups = manifest["kernels"]
        ops[manifest["name"]] = (groups[0]["exports"], [name for g in groups for name in g["on"]])
    return ops


OPS = read_ops()


def read_descriptor(accelerator):
    path = ROOT / "manifests" / "accelerators" / f"{accelerator}.json"
    return json.loads(path.read_text())


def cpu_levels(machine=platform.machine()):
    """Archs of the CPU images of this kind of machine, lowest first."""
    return read_descriptor("cpu")["archs"]["default"][machine]


def find_cxx():
    """g++ and clang++ by the names that people give them: {"g++": path, ...}."""
    return {name: shutil.which(name) for name in ("g++", "clang++") if shutil.which(name)}


def find_clang(argv, pattern):
    """The newest clang++ whose output for `argv` has `pattern`, or None."""
    names = [f"clang++-{version}" for version in range(30, 13, -1)] + ["clang++"]
    for path in filter(None, map(shutil.which, names)):
        run = subprocess.run([path, *argv], capture_output=True, text=True)
        if re.search(pattern, run.stdout + run.stderr):
            return path
    return None


def expand(template, values):
    """One argv of a descriptor: "{name}" alone may be a list, within a word it is text."""
    argv = []
    for word in template:
        alone = re.fullmatch(r"\{(\w+)\}", word)
        if alone and isinstance(values[alone[1]], list):
            argv += values[alone[1]]
        else:
            argv.append(re.sub(r"\{(\w+)\}", lambda m: str(values[m[1]]), word))
    return argv


class Builder:
    """Compiles from a source tree `src` (a copy of ops/ and the runtime's headers) into `out`."""

    def __init__(self, src, out, extra_flags=()):
        self.src, self.out = Path(src), Path(out)
        self.values = {
            "src": self.src, "baseline": cpu_levels()[0], "features": [], "defines": [],
            "flags": list(extra_flags), "link_flags": [], "libraries": [],
            "includes": [f"-I{self.src}/ops", f"-I{self.src}/src/runtime/include"],
        }
        names = ("NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS", "CPATH", "CPLUS_INCLUDE_PATH")
        self.env = {k: v for k, v in os.environ.items() if k not in names}

    @staticmethod
    def copy_sources(to):
        for folder in ("ops", "src/runtime"):
            shutil.copytree(ROOT / folder, Path(to) / folder, dirs_exist_ok=True)

    def run(self, argv):
        run = subprocess.run(argv, env=self.env, capture_output=True, text=True)
        if run.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, argv))}\n{run.stdout}{run.stderr}")
        return run.stdout + run.stderr

    def steps(self, steps, sources, folder, **values):
        """Runs the steps of one artifact: those for each source, then those for all. Returns the
        path of the last output."""
        folder.mkdir(parents=True, exist_ok=True)
        inputs = [str(source) for source in sources]
        values = {**self.values, **values}
        for step in steps:
            groups = [[name] for name in inputs] if step.get("each") == "source" else [inputs]

            def make(group, step=step):
                names = {**values, "in": group, "stem": Path(group[0]).stem}
                names["out"] = str(folder / expand([step["out"]], names)[0])
                names["depfile"] = names["out"] + ".d"
                self.run(expand(step["argv"], names))
                return names["out"]

            inputs = in_parallel([lambda g=group: make(g) for group in groups])
        return Path(inputs[0])

    def image(self, op, accelerator, arch, kind, form=None, **tools):
        """One image, by a toolchain of `kind`. Returns its path."""
        descriptor = read_descriptor(accelerator)
        chain = next(c for c in descriptor["toolchains"] if kind in c["kinds"])
        form = form or descriptor["image"]
        source = self.src / "ops" / op / ("kernels.cpp" if accelerator == "cpu" else "kernels.cu")
        folder = self.out / kind / op / accelerator / f"{arch}-{form}"
        number = re.sub(r"\D", "", arch)
        return self.steps(chain["images"][form], [source], folder, arch=arch, op=op,
                          number=number, **tools)

    def host_library(self, name, sources, cxx, link_flags=()):
        """A shared library of the baseline: an op's host library, or libdsops."""
        chain = read_descriptor("cpu")["toolchains"][0]
        includes = self.values["includes"] + [f"-I{self.src}/src"]
        return self.steps([chain["object"], chain["link"]], sources, self.out / "host" / name,
                          cxx=cxx, op=name, arch=cpu_levels()[0], includes=includes,
                          link_flags=list(link_flags))

    def libdsops(self, cxx):
        runtime = self.src / "src" / "runtime"
        sources = [*sorted(runtime.glob("*.cpp")), *sorted((self.src / "src/cpu").glob("*.cpp"))]
        exports = f"-Wl,--version-script={runtime}/dsops.map"
        return self.host_library("libdsops", sources, cxx, [exports, "-ldl", "-lpthread"])

    def bundle(self, kind, cxx, libdsops, levels=None):
        """A bundle for this host, as far as a test needs it: CPU images (of all levels, unless some
        are given) and emu images of every op. Returns its folder."""
        triple = self.run([cxx, "-dumpmachine"]).strip()
        folder = self.out / "bundle"
        machine = platform.machine()

        def put(path, to):
            (folder / to).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, folder / to)

        jobs = [lambda: put(libdsops, f"lib/{triple}/libdsops.so")]
        for op, (_, accelerators) in OPS.items():
            jobs.append(lambda op=op: put(
                self.host_library(op, [self.src / "ops" / op / "op.cpp"], cxx),
                f"lib/{triple}/{op}.so"))
            archs = [("cpu", level) for level in levels or cpu_levels()] + [("emu", machine)]
            for accelerator, arch in archs:
                if accelerator in accelerators:
                    jobs.append(lambda op=op, accelerator=accelerator, arch=arch: put(
                        self.image(op, accelerator, arch, kind, cxx=cxx),
                        f"images/{op}/{accelerator}/{arch}.so"))
        in_parallel(jobs)
        shutil.copytree(self.src / "packaging/python/dsops", folder / "python/dsops",
                        dirs_exist_ok=True)
        return folder


def in_parallel(jobs):
    """Calls each of `jobs` on the CPUs of this process; results in order."""
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return [future.result() for future in [pool.submit(job) for job in jobs]]
