"""Imports every module below a bundle's extensions/ACCELERATOR folder, torch and pin_memory first.

Prints a line for each: its name and how many names it has, or why it can't be imported.
"""

import ctypes
import importlib.util
import pathlib
import sys

import torch  # noqa: F401 - brings the libraries that the modules need


def main(folder):
    files = sorted(folder.rglob("*.so"), key=lambda file: ("pin_memory" not in file.name, file))
    for file in files:
        name = ".".join((*file.parent.relative_to(folder).parts, file.name.split(".")[0]))
        try:
            if "pin_memory" in file.name:
                ctypes.CDLL(str(file), mode=ctypes.RTLD_GLOBAL)
            spec = importlib.util.spec_from_file_location(name, file)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            print(name, len([word for word in dir(module) if not word.startswith("_")]))
        except ImportError as error:
            print(name, "FAILED", error)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
