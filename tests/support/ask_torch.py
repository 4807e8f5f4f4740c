# Prints what a torch and its Python say of themselves, as JSON: what dsbuild reads in their files is held against it.
import inspect, json, shlex, sys, sysconfig, tempfile
from pathlib import Path
import torch
from torch.utils import cpp_extension as ext

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / 'build.ninja'
    write = ext._write_ninja_file_to_build_library
    known = {'path': str(path), 'name': 'x', 'sources': ['a.cpp']}
    write(**{name: known.get(name, [] if name.startswith('extra') else False)
             for name in inspect.signature(write).parameters})
    text = path.read_text()
flags = shlex.split(next(line for line in text.splitlines() if line.startswith('cflags =')))
print(json.dumps({
    'version': torch.__version__,
    'cuda': torch.version.cuda,
    'hip': torch.version.hip,
    'cxx11_abi': str(int(torch._C._GLIBCXX_USE_CXX11_ABI)),
    'python': sysconfig.get_python_version(),
    'python_include': sysconfig.get_path('include', scheme='posix_prefix'),
    'extension_suffix': sysconfig.get_config_var('EXT_SUFFIX'),
    'includes': ext.include_paths(),
    'lib': ext.library_paths()[0],
    'libraries': ext.CppExtension('x', ['a.cpp']).libraries,
    'defines': sorted(flag[2:] for flag in flags
                      if flag.startswith('-D') and not flag.startswith('-DTORCH_EXTENSION_NAME=')),
    'standard': [flag for flag in flags if flag.startswith('-std=')][-1],
}))
