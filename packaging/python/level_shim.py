"""Stands for an extension that was built for several CPU levels, and becomes the best one that this
CPU runs. It lies beside them under the module's own name: NAME.py, NAME.x86-64-v3.SUFFIX, …

Knows /proc/cpuinfo; nothing of what the extension does.
"""

import importlib.machinery
import importlib.util
import os
import sys

# The best first, and what of /proc/cpuinfo each needs. https://gitlab.com/x86-psABIs/x86-64-ABI, table 3.1
LEVELS = {
    "x86-64-v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx2", "fma"},
    "x86-64-v3": {"avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"},
    "x86-64-v2": {"sse4_2", "ssse3", "popcnt", "cx16"},
}


def cpu_flags():
    """The flags that the kernel lets programs use; none on a CPU of another kind."""
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        for line in file:
            name, _, flags = line.partition(":")
            if name.strip() == "flags":
                return set(flags.split())
    return set()


def find_best(stem):
    """The file of the best level that is here and that this CPU has."""
    flags = cpu_flags()
    here = []
    for level, needed in LEVELS.items():
        for suffix in importlib.machinery.EXTENSION_SUFFIXES:
            file = f"{stem}.{level}{suffix}"
            if os.path.exists(file):
                here.append(level)
                if needed <= flags:
                    return file
    raise ImportError(f"{stem}: built for {', '.join(here) or 'no level'}, and this CPU is none of them")


def become(name):
    """Puts the extension in this module's place."""
    file = find_best(os.path.splitext(__file__)[0])
    loader = importlib.machinery.ExtensionFileLoader(name, file)
    module = importlib.util.module_from_spec(importlib.util.spec_from_file_location(name, file, loader=loader))
    sys.modules[name] = module
    loader.exec_module(module)


become(__name__)
