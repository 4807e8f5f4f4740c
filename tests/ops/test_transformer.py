"""transformer: layer_norm and bias_gelu, in each dtype, against double precision."""
import numpy as np
import pytest
import reference
from formats import FORMATS

SHAPES = [(1, 1), (3, 2), (2, 63), (5, 64), (4, 65), (3, 127), (7, 257), (2, 1023), (3, 1024),
          (2, 1025), (1, 5000), (129, 8), (0, 16)]
formats = pytest.mark.parametrize("format_", FORMATS.values(), ids=FORMATS.keys())


class Row:
    """x, weight, bias and y of one call: views that begin one element into a larger array."""

    def __init__(self, format_, x, seed=3):
        random = np.random.RandomState(seed)
        cols = x.shape[-1]
        self.format = format_
        self.whole = {name: format_.from_double(np.concatenate([[7.0], np.ravel(a), [7.0]]))
                      for name, a in [("x", x), ("weight", random.standard_normal(cols)),
                                      ("bias", random.standard_normal(cols)),
                                      ("y", np.full(x.size, 0.25))]}
        self.shapes = {"x": x.shape, "weight": (cols,), "bias": (cols,), "y": x.shape}
        self.before = {name: a.copy() for name, a in self.whole.items()}

    def argument(self, name):
        return self.format.argument(self.whole[name][1:-1].reshape(self.shapes[name]))

    def values(self, name):
        return self.format.to_double(self.whole[name][1:-1]).reshape(self.shapes[name])

    def check(self, expected, off):
        for name, array in self.whole.items():
            keep = array if name != "y" else array[[0, -1]]
            old = self.before[name] if name != "y" else self.before[name][[0, -1]]
            assert np.array_equal(keep.view(np.uint8), old.view(np.uint8)), f"{name} was changed"
        with np.errstate(invalid="ignore"):
            got = self.values("y")
            allowed = off + self.format.half_step(np.abs(expected) + off)
            good = (np.abs(got - expected) <= allowed) | (np.isnan(expected) & np.isnan(got))
            # Where rounding overflows, infinity is right.
            good |= (got == np.sign(expected) * np.inf) & np.isinf(self.format.round(expected))
        assert good.all(), (f"{(~good).sum()} wrong, first at {np.argwhere(~good)[0]}: expected "
                            f"{expected[~good][0]:.9g}, got {got[~good][0]:.9g}, allowed "
                            f"{allowed[~good][0]:.3g}")


def norm_row(kind, rows, cols):
    random = np.random.RandomState(cols)
    x = random.standard_normal((rows, cols))
    if kind == "far from zero":  # sums of squares lose all of the variance
        x = x + 300
    if kind == "first 64 unlike the rest":
        x[:, :64] -= 300
    if kind == "constant":
        x[:] = 0.1
    if kind == "one large":
        x[:, cols // 2:cols // 2 + 1] = 1000
    return x


@formats
@pytest.mark.parametrize("kind", ["normal", "far from zero", "first 64 unlike the rest", "constant",
                                  "one large"])
def test_layer_norm_of_each_element_is_as_double_precision_says(transformer, format_, kind):
    for rows, cols in SHAPES:
        row = Row(format_, norm_row(kind, rows, cols))
        mean, rstd = np.full(rows, 9, np.float32), np.full(rows, 9, np.float32)
        transformer.layer_norm(x=row.argument("x"), weight=row.argument("weight"),
                               bias=row.argument("bias"), y=row.argument("y"), mean=mean,
                               rstd=rstd, eps=1e-5)
        if rows == 0:
            continue
        y, exact_mean, exact_rstd, off = reference.layer_norm(
            row.values("x"), row.values("weight"), row.values("bias"), 1e-5)
        row.check(y, off)
        x = row.values("x")
        terms = (cols // 64 + 12) * reference.EPS
        assert (np.abs(mean - exact_mean) <= terms * np.abs(x).max(axis=1)).all()
        assert (np.abs(rstd / exact_rstd - 1) <= terms * (2 + cols / 64)).all()


@formats
def test_bias_gelu_of_each_element_is_as_double_precision_says(transformer, format_):
    for rows, cols in SHAPES:
        row = Row(format_, 4 * np.random.RandomState(cols).standard_normal((rows, cols)))
        transformer.bias_gelu(x=row.argument("x"), bias=row.argument("bias"), y=row.argument("y"))
        row.check(*reference.bias_gelu(row.values("x"), row.values("bias")))


@pytest.mark.parametrize("name", ["bf16", "fp16"])
def test_gelu_of_all_16_bit_values(transformer, name):
    format_ = FORMATS[name]
    row = Row(format_, np.zeros((64, 1024)))
    row.whole["x"][1:-1] = np.arange(65536, dtype=np.uint16).view(row.whole["x"].dtype)
    row.whole["bias"][:] = 0
    row.before = {n: a.copy() for n, a in row.whole.items()}
    transformer.bias_gelu(x=row.argument("x"), bias=row.argument("bias"), y=row.argument("y"))
    row.check(*reference.bias_gelu(row.values("x"), row.values("bias")))


@formats
def test_output_may_be_the_input(transformer, format_):
    x = np.random.RandomState(5).standard_normal((5, 700))
    for function, names in [("layer_norm", ("weight", "bias")), ("bias_gelu", ("bias",))]:
        apart, in_place = Row(format_, x), Row(format_, x)
        call = getattr(transformer, function)
        call(x=apart.argument("x"), y=apart.argument("y"), **{n: apart.argument(n) for n in names})
        call(x=in_place.argument("x"), y=in_place.argument("x"),
             **{n: in_place.argument(n) for n in names})
        assert np.array_equal(apart.whole["y"][1:-1], in_place.whole["x"][1:-1])


@formats
def test_more_dimensions_are_rows(transformer, format_):
    flat = Row(format_, np.random.RandomState(6).standard_normal((6, 40)))
    cube = Row(format_, np.random.RandomState(6).standard_normal((6, 40)).reshape(2, 3, 40))
    for row in (flat, cube):
        transformer.layer_norm(**{n: row.argument(n) for n in ("x", "weight", "bias", "y")})
    assert np.array_equal(flat.whole["y"], cube.whole["y"])


def ones(**shapes):
    return {name: np.ones(shape, dtype) for name, (shape, dtype) in shapes.items()}


F, H = np.float32, np.float16
NORM = {"x": ((3, 8), F), "weight": (8, F), "bias": (8, F), "y": ((3, 8), F)}
GELU = {"x": ((3, 8), F), "bias": (8, F), "y": ((3, 8), F)}


@pytest.mark.parametrize("function, good, wrong, numbers, text", [
    ("layer_norm", NORM, {"weight": (7, F)}, {},
     "argument `weight`: expected 8 elements, the last dimension of `x`, got 7"),
    ("layer_norm", NORM, {"weight": (8, H)}, {},
     "argument `weight`: expected float32, as `x`, got float16"),
    ("layer_norm", NORM, {"bias": (9, F)}, {},
     "argument `bias`: expected 8 elements, the last dimension of `x`, got 9"),
    ("layer_norm", NORM, {"y": ((3, 7), F)}, {},
     "argument `y`: expected 24 elements, as `x`, got 21"),
    ("layer_norm", NORM, {"y": ((3, 8), H)}, {},
     "argument `y`: expected float32, as `x`, got float16"),
    ("layer_norm", NORM, {"mean": (2, F)}, {},
     "argument `mean`: expected 3 elements, one for each row of `x`, got 2"),
    ("layer_norm", NORM, {"rstd": (4, F)}, {},
     "argument `rstd`: expected 3 elements, one for each row of `x`, got 4"),
    ("layer_norm", NORM, {}, {"eps": -1.0},
     "argument `eps`: expected a number from 0 to 1e30, got -1"),
    ("layer_norm", NORM, {"x": ((3, 0), F)}, {},
     "argument `x`: expected a last dimension of 1 or more, got 0 of 2 dimensions"),
    ("layer_norm", NORM, {"x": ((), F)}, {},
     "argument `x`: expected a last dimension of 1 or more, got 0 of 0 dimensions"),
    ("bias_gelu", GELU, {"bias": (7, F)}, {},
     "argument `bias`: expected 8 elements, the last dimension of `x`, got 7"),
    ("bias_gelu", GELU, {"bias": (8, H)}, {},
     "argument `bias`: expected float32, as `x`, got float16"),
    ("bias_gelu", GELU, {"y": ((3, 9), F)}, {},
     "argument `y`: expected 24 elements, as `x`, got 27"),
])
def test_a_wrong_argument_is_named_with_what_was_expected(transformer, function, good, wrong,
                                                          numbers, text):
    arguments = ones(**{**good, **wrong})
    with pytest.raises(Exception) as error:
        getattr(transformer, function)(**arguments, **numbers)
    assert text in str(error.value) and f"transformer.{function}" in str(error.value)
    assert (arguments["y"] == 1).all()
