"""The number formats and the functions of ops/common, by every compiler and CPU level."""
import ctypes

import numpy as np
import pytest
import reference
from conftest import BUNDLES, images_of

ALL_16 = np.arange(65536, dtype=np.uint16)
# Every 4,099th float (a prime), both signs, subnormals, infinities and NaNs among them.
SAMPLE = np.arange(0, 2**32, 4099, dtype=np.uint32).view(np.float32)


class Numbers:
    """An image of numbers.cpp."""

    def __init__(self, name, accelerator, level):
        image = BUNDLES[name] / "images" / "numbers" / accelerator / f"{level}.so"
        self.library = ctypes.CDLL(str(image))

    def __call__(self, name, values, out_dtype=np.float32):
        values = np.ascontiguousarray(values)
        out = np.empty(values.shape, out_dtype)
        getattr(self.library, name)(ctypes.c_void_p(values.ctypes.data),
                                    ctypes.c_void_p(out.ctypes.data),
                                    ctypes.c_int64(values.size))
        return out


@pytest.fixture(scope="module", params=images_of("numbers"), ids="-".join)
def numbers(request):
    return Numbers(*request.param[1:])


def bits(values):
    return np.ascontiguousarray(values).view({2: np.uint16, 4: np.uint32}[values.itemsize])


def test_all_fp16_values_become_float(numbers):
    expected = ALL_16.view(np.float16).astype(np.float32)
    got = numbers("fp16_to_float", ALL_16)
    number = ~np.isnan(expected)
    assert np.array_equal(bits(got[number]), bits(expected[number]))
    assert np.isnan(got[~number]).all()


def test_all_bf16_values_become_float(numbers):
    assert np.array_equal(bits(numbers("bf16_to_float", ALL_16)), ALL_16.astype(np.uint32) << 16)


# `beyond` would be the next number if there were no infinity: halfway to it is where that begins.
@pytest.mark.parametrize("format_, beyond", [("fp16", 2.0**16), ("bf16", 2.0**128)])
def test_float_is_rounded_to_the_nearest_16_bit_number(numbers, format_, beyond):
    exact = numbers(f"{format_}_to_float", ALL_16)
    exact = np.sort(exact[np.isfinite(exact)].astype(np.float64))
    exact = np.unique(np.concatenate([exact, [-beyond, beyond]]))
    halfway = ((exact[1:] + exact[:-1]) / 2).astype(np.float32)
    assert beyond - halfway.max() == halfway.max() - exact[-2]
    around = [halfway, np.nextafter(halfway, np.float32(np.inf)),
              np.nextafter(halfway, np.float32(-np.inf)), exact[1:-1].astype(np.float32), SAMPLE]
    x = np.concatenate(around)
    got = numbers(f"float_to_{format_}", x, np.uint16)
    round_ = {"fp16": reference.to_fp16, "bf16": reference.to_bf16}[format_]
    with np.errstate(invalid="ignore"):  # signalling NaNs
        expected = round_(x.astype(np.float64))
    number = ~np.isnan(x)
    back = numbers(f"{format_}_to_float", got)
    assert np.array_equal(back[number], expected[number])
    assert np.array_equal(np.signbit(back[number]), np.signbit(x[number]))
    assert set(got[~number]) == {{"fp16": 0x7E00, "bf16": 0x7FC0}[format_]}


def test_16_bit_numbers_survive_a_round_trip(numbers):
    for format_ in ("fp16", "bf16"):
        wide = numbers(f"{format_}_to_float", ALL_16)
        number = ~np.isnan(wide)
        assert np.array_equal(numbers(f"float_to_{format_}", wide, np.uint16)[number],
                              ALL_16[number])


def test_canonical_changes_nans_only(numbers):
    got = numbers("float_canonical", SAMPLE)
    nan = np.isnan(SAMPLE)
    assert nan.sum() > 1000
    assert np.array_equal(bits(got[~nan]), bits(SAMPLE[~nan]))
    assert set(bits(got[nan])) == {0x7FC00000}


def test_sqrt_is_rounded_correctly(numbers):
    x = SAMPLE[SAMPLE >= 0]
    assert np.array_equal(numbers("float_sqrt", x), np.sqrt(x.astype(np.float64)).astype("f4"))


# The errors that ops/common/math.h states, in ulp, over a range.
@pytest.mark.parametrize("name, exact, low, high, allowed", [
    ("exp", np.exp, -np.inf, np.inf, 1.03),
    ("tanh", np.tanh, -np.inf, np.inf, 2.5),
    ("gelu", reference.gelu, 0, 1e30, 1.92),
    ("gelu", reference.gelu, -2, 0, 7.6),
    ("gelu", reference.gelu, -3, -2, 15.1),
    ("gelu", reference.gelu, -1e30, -3, 214),
])
def test_math_is_as_near_as_its_header_says(numbers, name, exact, low, high, allowed):
    x = SAMPLE[(SAMPLE >= low) & (SAMPLE <= high)]
    with np.errstate(all="ignore"):
        expected = exact(x.astype(np.float64))
        as_float = expected.astype(np.float32)
        got = numbers(f"float_{name}", x)
        infinite = np.isinf(as_float) | np.isinf(got)
        distance = np.abs(got.astype(np.float64) - expected) / reference.ulp(expected)
    assert np.array_equal(as_float[infinite], got[infinite])
    assert distance[~infinite].max() <= allowed


@pytest.mark.parametrize("name", ["exp", "tanh", "gelu"])
def test_math_of_nan_is_nan_and_of_infinity_the_limit(numbers, name):
    nan, inf = np.float32(np.nan), np.float32(np.inf)
    got = numbers(f"float_{name}", np.array([nan, inf, -inf], np.float32))
    expected = {"exp": [nan, inf, 0], "tanh": [nan, 1, -1], "gelu": [nan, inf, nan]}[name]
    assert np.array_equal(got, np.array(expected, np.float32), equal_nan=True)


FIRST_BITS = {}


@pytest.mark.parametrize("name", ["exp", "tanh", "gelu"])
def test_math_has_the_same_bits_by_every_compiler_and_level(numbers, name):
    got = numbers(f"float_{name}", SAMPLE)
    got = numbers("float_canonical", got)
    assert np.array_equal(bits(got), bits(FIRST_BITS.setdefault(name, got)))
