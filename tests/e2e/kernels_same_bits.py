"""What is claimed of the images of ops/, whatever compiled them.

    python3 kernels_same_bits.py WORK_FOLDER BUNDLE...

Their kernels are in the ELF (with their .kd on AMD, and no scratch memory there), nothing is
undefined, PTX has only float operations that round to nearest and no fma; and every CPU level that
this CPU can run, emu, and the GPU if there is one, calculate the same bits.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from kernels_elf import Elf  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
# Op -> the kernels that its manifest names.
OPS = {path.stem: json.loads(path.read_text())["kernels"][0]["exports"]
       for path in (ROOT / "manifests" / "ops").glob("*.json")}
# What an image of a CPU or emu may ask of libc: what compilers put in of their own accord.
LIBC = {"memcpy", "memset", "memmove", "__tls_get_addr"}
# PTX operations on floats that round nothing.
EXACT = "abs|neg|mov|ld|st|set|setp|selp|testp|copysign|shfl|min|max"
FLOAT_OPERATION = re.compile(
    r"^\s*(?:@!?%\w+\s+)?(\w+)((?:\.\w+)*\.f(?:16|32|64)(?:x2)?(?:\.\w+)*)\s")


class Report:
    def __init__(self):
        self.problems, self.checks = [], 0

    def check(self, good, text):
        self.checks += 1
        if not good:
            self.problems.append(text)
            print(f"FAIL {text}")


def check_ptx(report, image, kernels):
    text = image.read_text()
    for kernel in kernels:
        report.check(re.search(rf"\.entry {kernel}\(", text), f"{image}: no .entry {kernel}")
    report.check(".extern" not in text, f"{image}: has .extern, something is undefined")
    operations = [m for m in map(FLOAT_OPERATION.match, text.splitlines()) if m]
    report.check(operations, f"{image}: no float operation was found")
    wrong = {m[1] + m[2] for m in operations
             if not re.fullmatch(EXACT, m[1])
             and (".rn" not in m[2] or re.search(r"fma|mad|\.ftz|\.approx", m[1] + m[2]))}
    report.check(not wrong, f"{image}: not rounded to nearest, or fused: {sorted(wrong)}")
    report.check(not re.search(r"\.local", text), f"{image}: uses local memory")


def check_elf(report, image, accelerator, kernels):
    elf = Elf(image)
    missing = set(kernels) - elf.defined(Elf.FUNCTION)
    report.check(not missing, f"{image}: no kernel {sorted(missing)}")
    # ".nv.": sizes that the CUDA driver fills in when it loads a cubin (sm_90 and later).
    undefined = {n.split("@")[0] for n in elf.undefined() if not n.startswith(".nv.")}
    if accelerator in ("cpu", "emu"):
        undefined -= LIBC
    report.check(not undefined, f"{image}: undefined {sorted(undefined)}")
    if accelerator == "rocm":
        descriptors = {f"{kernel}.kd" for kernel in kernels} - elf.defined(Elf.OBJECT)
        report.check(not descriptors, f"{image}: no kernel descriptor {sorted(descriptors)}")
        for kernel in set(kernels) - missing if not descriptors else ():
            facts = elf.amd_kernel(kernel)
            report.check(facts == {"scratch": 0, "round_32": 0, "denormals_32": 3},
                         f"{image}: {kernel}.kd: scratch memory, rounding or flushing: {facts}")


def check_same_numbers(report, work, images):
    """Runs the images that can run here: one hash per kernel, whatever compiled it."""
    driver = work / "kernels_run"
    subprocess.run(["g++", "-std=c++20", "-O2", f"-I{ROOT}/ops", f"-I{ROOT}/src",
                    f"-I{ROOT}/src/runtime/include", Path(__file__).with_name("kernels_run.cpp"),
                    ROOT / "src/runtime/emu_block.cpp", ROOT / "src/runtime/emu_fiber.cpp",
                    "-ldl", "-o", driver], check=True)
    hashes, not_run = {}, {}
    for accelerator, arch, kernels, image in images:
        target = arch if accelerator == "cpu" else accelerator
        run = subprocess.run([driver, target, image, *kernels], capture_output=True, text=True)
        if run.returncode == 77:
            reason = run.stderr.strip() or f"this CPU is not {arch}"
            not_run.setdefault(f"{accelerator}: {reason}", []).append(image)
            continue
        report.check(run.returncode == 0, f"{image}: {run.returncode}: {run.stderr.strip()}")
        for line in run.stdout.splitlines():
            hashes.setdefault(line.split()[0], {}).setdefault(line.split()[1], []).append(image)
    for reason, those in not_run.items():
        print(f"{len(those)} images are not run, {reason}")
    for kernel, by_hash in hashes.items():
        report.check(len(by_hash) == 1, f"{kernel} differs: {by_hash}")
    ran = {image for by_hash in hashes.values() for images in by_hash.values() for image in images}
    print(f"{len(hashes)} kernels ran from {len(ran)} images")
    report.check(ran, "no image ran")


def main():
    work, *bundles = (Path(name).resolve() for name in sys.argv[1:])
    report = Report()
    can_run = []
    for bundle in bundles:
        for file in json.loads((bundle / "bundle.json").read_text())["files"]:
            image, accelerator = bundle / file["path"], file.get("accelerator")
            if "arch" not in file or file["op"] not in OPS:
                continue
            kernels = OPS[file["op"]]
            if file["form"] == "ptx":
                check_ptx(report, image, kernels)
            else:
                check_elf(report, image, accelerator, kernels)
            if accelerator != "rocm":
                can_run.append((accelerator, file["arch"], kernels, image))
    check_same_numbers(report, work, can_run)
    print(f"{report.checks} checks, {len(report.problems)} failed")
    sys.exit(1 if report.problems else 0)


if __name__ == "__main__":
    main()
