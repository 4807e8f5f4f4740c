"""Runs the ops of a dsbuild bundle on arrays of NumPy, PyTorch and all that speak DLPack.

    import dsops
    bundle = dsops.open("out/bundle")
    bundle.cpu_adam.adam(params=[p], grads=[g], exp_avgs=[m], exp_avg_sqs=[v], step=1, lr=1e-3)
    help(bundle.cpu_adam.adam)

Arrays are passed without a copy. Names, defaults and documentation come from the op libraries.
"""

from ._abi import Error, InvalidError, NotFoundError, UnsupportedError
from ._bundle import Accelerator, Bundle, Exec, open
from ._tensor import as_dtype

__all__ = [
    "Accelerator",
    "Bundle",
    "Error",
    "Exec",
    "InvalidError",
    "NotFoundError",
    "UnsupportedError",
    "as_dtype",
    "open",
]
