"""Makes DeepSpeed take ops that it has not installed from dsbuild instead of compiling them itself.

    import dsops.deepspeed
    dsops.deepspeed.hook()

From then on `OpBuilder.load()` asks `dsbuild load`, which builds an op once for all processes and
remembers it. Ops that are installed (`dsbuild bundle install`) are imported as before. Where dsbuild
can't help, DeepSpeed's own way is taken, with one warning.
"""

from ._hook import hook, unhook

__all__ = ["hook", "unhook"]
