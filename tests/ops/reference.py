# Knows: what the ops must calculate, in double precision, and how far a float32 result may be from
# that. Does not know how the ops are built or called.
import numpy as np

EPS = 2.0**-24  # half an ulp, relative: the most that one float32 operation is off


def ulp(x):
    """Distance of floats at |x|, those below the smallest normal one included."""
    exponent = np.frexp(np.maximum(np.abs(x), 2.0**-126))[1]
    return np.ldexp(1.0, exponent - 24)


def round_to(x, bits, smallest_exponent, largest):
    """Doubles to the nearest number of `bits` bits (ties to even), infinite beyond `largest`."""
    with np.errstate(all="ignore"):
        exponent = np.maximum(np.frexp(x)[1] - 1, smallest_exponent)
        step = np.ldexp(1.0, exponent - (bits - 1))
        rounded = np.rint(x / step) * step
        return np.where(np.abs(rounded) > largest, np.copysign(np.inf, x), rounded)


def to_fp16(x):
    return round_to(x, 11, -14, 65504.0)


def to_bf16(x):
    return round_to(x, 8, -126, (2 - 2.0**-7) * 2.0**127)


def gelu(x):
    u = np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)
    e = np.exp(-np.abs(2 * u))
    return x * np.where(x < 0, e, 1.0) / (1 + e)


def bias_gelu(x, bias):
    """Of doubles: y, and the allowed distance."""
    with np.errstate(all="ignore"):
        s = x + bias
        twice_u = 2 * np.sqrt(2 / np.pi) * (s + 0.044715 * s**3)
        y = gelu(s)
        # The sum, u and exp(-2 u) are off by a few EPS: y by that times how y depends on u; and
        # exp(-2 u), times s, by a subnormal step.
        share = np.where(s < 0, 1.0, np.exp(-np.abs(twice_u)))
        off = np.abs(y) * EPS * (6 + 6 * np.abs(twice_u) * share)
    return y, np.where(y == 0, 0, off) + np.minimum(np.abs(s) + 1, 100) * 2.0**-149


def layer_norm(x, weight, bias, eps):
    """Of [rows, cols] doubles: y, mean, rstd, and the allowed distance of y."""
    mean = x.mean(axis=1, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=1, keepdims=True)
    rstd = 1 / np.sqrt(variance + eps)
    normal = (x - mean) * rstd
    # A lane's sum has cols / 64 terms. The mean is off by that many roundings of x - shift and by
    # its own; the variance, by a factor, cancellation included (ops/transformer/transformer.h).
    terms = (x.shape[1] // 64 + 12) * EPS
    spread = x.max(axis=1, keepdims=True) - x.min(axis=1, keepdims=True)
    off_mean = terms * spread + 4 * EPS * np.abs(x).max(axis=1, keepdims=True)
    off_normal = off_mean * rstd + np.abs(normal) * terms * (2 + x.shape[1] / 64)
    y = normal * weight + bias
    return y, mean[:, 0], rstd[:, 0], off_normal * np.abs(weight) + 4 * EPS * (np.abs(y) +
                                                                              np.abs(bias))


class Adam:
    """One step in double precision, and how far float32 results may be from it."""

    def __init__(self, p, g, m, v, step, lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8,
                 weight_decay=0.0, adamw=True, bias_correction=True, grad_scale=1.0):
        p, g, m, v = (a.astype(np.float64) for a in (p, g, m, v))
        l2 = 0.0 if adamw else weight_decay
        decay = lr * weight_decay if adamw else 0.0
        grad = g / grad_scale + l2 * p
        correction1 = 1 - beta1**step if bias_correction else 1.0
        correction2 = 1 - beta2**step if bias_correction else 1.0
        self.m = beta1 * m + (1 - beta1) * grad
        self.v = beta2 * v + (1 - beta2) * grad**2
        root = np.sqrt(self.v / correction2)
        ratio = np.divide(self.m, root + eps, out=np.zeros_like(p), where=root + eps > 0)
        self.update = lr / correction1 * ratio + decay * p
        # Each operation and each constant is off by EPS at most, relative; a sum by that of its
        # terms. What is below the smallest normal float may be off by a subnormal step.
        tiny = 2.0**-149
        off_grad = 3 * EPS * (np.abs(g / grad_scale) + np.abs(l2 * p)) + tiny
        self.off_m = (4 * EPS * (np.abs(beta1 * m) + (1 - beta1) * np.abs(grad))
                      + (1 - beta1) * off_grad + 2 * tiny)
        self.off_v = (5 * EPS * self.v + 2 * (1 - beta2) * np.abs(grad) * off_grad + 3 * tiny)
        # d sqrt(v) = dv / (2 sqrt(v)), but no more than sqrt(dv) where v is 0 or nearly.
        off_root = np.minimum(self.off_v / np.maximum(2 * np.sqrt(self.v), 1e-300),
                              np.sqrt(self.off_v)) / np.sqrt(correction2)
        bottom = np.maximum(root + eps, 1e-300)
        off_ratio = (self.off_m + np.abs(ratio) * off_root) / bottom + 6 * EPS * np.abs(ratio)
        self.off_update = (lr / correction1 * off_ratio + 4 * EPS * np.abs(decay * p)
                           + ulp(np.abs(p) + np.abs(self.update)) / 2)
