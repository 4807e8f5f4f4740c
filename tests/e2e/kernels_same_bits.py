"""The kernels of ops/ compile for every target, twice to the same bytes, and calculate the same.

    python3 kernels_same_bits.py BUILD_FOLDER

What is claimed of each image: its kernels are in the ELF (with their .kd on AMD, and no scratch
memory there), nothing is undefined, PTX has only float operations that round to nearest and no fma,
a build in another folder is identical; and every CPU level that this CPU can run, emu, and the GPU
if there is one, calculate the same bits, whatever compiled it. Exit 77: nothing could be checked.
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from kernels_build import OPS, Builder, cpu_levels, find_clang, find_cxx, in_parallel  # noqa: E402
from kernels_elf import Elf  # noqa: E402

AMD_ARCHS = ["gfx90a", "gfx942", "gfx1100"]
PTX_OF_CLANG = "ptx80"  # for sm_90, and old enough for any ptxas
# What an image of a CPU or emu may ask of libc: what compilers put in of their own accord.
LIBC = {"memcpy", "memset", "memmove", "__tls_get_addr"}
# PTX operations on floats that round nothing.
EXACT = "abs|neg|mov|ld|st|set|setp|selp|testp|copysign|shfl|min|max"
FLOAT_OPERATION = re.compile(
    r"^\s*(?:@!?%\w+\s+)?(\w+)((?:\.\w+)*\.f(?:16|32|64)(?:x2)?(?:\.\w+)*)\s")


class Report:
    def __init__(self):
        self.problems, self.skipped, self.checks = [], [], 0

    def check(self, good, text):
        self.checks += 1
        if not good:
            self.problems.append(text)
            print(f"FAIL {text}")

    def skip(self, text):
        self.skipped.append(text)
        print(f"skip {text}")


def plan_images(report):
    """[(kind, accelerator, arch, form, tools)] for what this machine has."""
    plan = []
    for name, path in find_cxx().items():
        kind = "gcc" if name == "g++" else "clang"
        plan += [(kind, "cpu", level, None, {"cxx": path}) for level in cpu_levels()]
        plan += [(kind, "emu", "host", None, {"cxx": path})]
    if not plan:
        report.skip("cpu, emu: no g++ or clang++ on PATH (apt-get install g++ clang)")
    nvcc, host = shutil.which("nvcc"), next(iter(find_cxx().values()), None)
    if nvcc and host:
        listed = subprocess.run([nvcc, "--list-gpu-arch"], capture_output=True, text=True).stdout
        newest = max(map(int, re.findall(r"compute_(\d+)\b", listed)))
        tools = {"nvcc": nvcc, "host_cxx": host}
        plan += [("nvcc", "cuda", f"sm_{n}", "cubin", tools) for n in sorted({75, 90, newest})]
        plan += [("nvcc", "cuda", f"sm_{newest}", "ptx", tools)]
    else:
        report.skip("cuda by nvcc: no nvcc on PATH")
    clang = find_clang(["--print-targets"], r"nvptx64")
    ptxas = shutil.which("ptxas") or (nvcc and shutil.which(Path(nvcc).resolve().parent / "ptxas"))
    if clang:
        tools = {"cxx": clang, "ptx": PTX_OF_CLANG, "ptxas": ptxas}
        forms = ["ptx", "cubin"] if ptxas else ["ptx"]
        plan += [("clang-ptxas", "cuda", "sm_90", form, tools) for form in forms]
    if not clang or not ptxas:
        lacking = "no ptxas" if clang else "no clang++ that knows nvptx64"
        report.skip(f"cuda by clang and ptxas: {lacking}")
    listing = ["--print-supported-cpus", "--target=amdgcn-amd-amdhsa", "-nogpulib"]
    amd = find_clang(listing, "gfx942")
    if amd:
        plan += [("clang-amdgpu", "rocm", arch, None, {"cxx": amd}) for arch in AMD_ARCHS]
    else:
        report.skip("rocm: no clang++ that knows gfx942 (apt-get install clang-19 lld-19)")
    return [(op, *image) for op, (_, on) in OPS.items() for image in plan if image[1] in on]


def make_image(report, builder, op, kind, accelerator, arch, form, tools):
    try:
        return builder.image(op, accelerator, arch, kind, form, **tools)
    except RuntimeError as error:
        report.check(False, f"{op} for {accelerator} {arch} by {kind} does not compile: {error}")
        return None


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
    src, cxx = work / "one", next(iter(find_cxx().values()))
    driver = work / "kernels_run"
    subprocess.run([cxx, "-std=c++20", "-O2", f"-I{src}/ops", f"-I{src}/src",
                    f"-I{src}/src/runtime/include", Path(__file__).with_name("kernels_run.cpp"),
                    src / "src/runtime/emu_block.cpp", src / "src/runtime/emu_fiber.cpp",
                    "-static-libstdc++", "-static-libgcc", "-ldl", "-o", driver], check=True)
    hashes, not_run = {}, {}
    for (op, kind, accelerator, arch, _, _), image in images:
        target = arch if accelerator == "cpu" else accelerator
        run = subprocess.run([driver, target, image, *OPS[op][0]], capture_output=True, text=True)
        if run.returncode == 77:
            reason = run.stderr.strip() or f"this CPU is not {arch}"
            not_run.setdefault(f"{accelerator}: {reason}", []).append(image)
            continue
        report.check(run.returncode == 0, f"{image}: {run.returncode}: {run.stderr.strip()}")
        for line in run.stdout.splitlines():
            hashes.setdefault(line.split()[0], {}).setdefault(line.split()[1], []).append(image)
    for reason, those in not_run.items():
        report.skip(f"{len(those)} images are not run, {reason}")
    for kernel, by_hash in hashes.items():
        lists = "; ".join(f"{h}: {[str(i.relative_to(work)) for i in images]}"
                          for h, images in by_hash.items())
        report.check(len(by_hash) == 1, f"{kernel} differs: {lists}")
    ran = {image for by_hash in hashes.values() for images in by_hash.values() for image in images}
    print(f"{len(hashes)} kernels ran from {len(ran)} images")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    work = Path(sys.argv[1]).resolve() / "kernels_same_bits"
    shutil.rmtree(work, ignore_errors=True)
    report = Report()
    plan = plan_images(report)
    # Two trees with names of different lengths, so that a path that gets into an image shows.
    builders = [Builder(work / name, work / name / "out") for name in ("one", "another")]
    for builder in builders:
        Builder.copy_sources(builder.src)
    images = in_parallel([lambda b=b, p=p: make_image(report, b, *p)
                          for p in plan for b in builders])
    made = [(p, one, another) for p, one, another in zip(plan, images[::2], images[1::2])
            if one and another]
    for (op, kind, accelerator, arch, form, _), one, another in made:
        kernels = OPS[op][0]
        report.check(one.read_bytes() == another.read_bytes(), f"{one}: differs from {another}")
        if form == "ptx":
            check_ptx(report, one, kernels)
        else:
            check_elf(report, one, accelerator, kernels)
    can_run = [(p, image) for p, image, _ in made if p[2] != "rocm"]
    if find_cxx() and can_run:
        check_same_numbers(report, work, can_run)
    print(f"{len(made)} images, {report.checks} checks, {len(report.problems)} failed, "
          f"{len(report.skipped)} skipped")
    sys.exit(1 if report.problems else 0 if plan else 77)


if __name__ == "__main__":
    main()
