"""Calls: arguments by name and place, defaults, where they run, what is refused, help."""

import inspect
import pydoc
import threading

import pytest

import dsops

np = pytest.importorskip("numpy")


@pytest.fixture
def y():
    return np.ones(1000, np.float32)


@pytest.fixture
def x():
    return np.arange(1000, dtype=np.float32)


def test_an_op_works_on_the_memory_of_the_array_itself(bundle, y, x):
    assert bundle.toy.axpy(y=y, x=x, alpha=2.0) is None
    np.testing.assert_array_equal(y, 1 + 2 * x)


def test_arguments_go_by_place_and_by_name_and_have_the_tables_defaults(bundle, x):
    for call in (lambda y: bundle.toy.axpy(y, x), lambda y: bundle.toy.axpy(y, x=x, alpha=1),
                 lambda y: bundle.toy.axpy(x=x, y=y), lambda y: bundle.toy.axpy(y, x, None)):
        y = np.ones(1000, np.float32)
        call(y)
        np.testing.assert_array_equal(y, 1 + x)


def test_each_kind_of_value_reaches_the_op(bundle):
    out = np.zeros(7)
    extra = np.zeros(3, np.float32)
    bundle.toy.report(out, 7)
    np.testing.assert_array_equal(out[:4], [7, 1, 0.5, 0])
    bundle.toy.report(out, count=np.int64(-8), flag=np.bool_(False), rate=2, extra=extra)
    np.testing.assert_array_equal(out[:4], [-8, 0, 2, 7])
    assert out[6] == 1  # the structs of dsops.h have the sizes that this package gives them


def test_exec_says_where_and_on_how_many_threads(bundle, y, x):
    out = np.zeros(7)
    bundle.toy.report(out, 1, exec=dsops.Exec(device="emu", num_threads=3))
    assert list(out[4:6]) == [3, 1000]
    bundle.toy.report(out, 1, exec=dsops.Exec(device="cpu", num_threads=5))
    assert list(out[4:6]) == [5, 1]
    bundle.toy.axpy(y, x, exec=dsops.Exec(device="emu"))
    np.testing.assert_array_equal(y, 1 + x)
    with pytest.raises(dsops.NotFoundError, match="no backend xpu"):
        bundle.toy.axpy(y, x, exec=dsops.Exec(device="xpu"))


def test_DS_ACCELERATOR_chooses_for_host_arrays(bundle, monkeypatch):
    out = np.zeros(7)
    monkeypatch.setenv("DS_ACCELERATOR", "emu")
    bundle.toy.report(out, 1)
    assert out[5] == 1000


def test_a_workspace_is_made_where_a_function_needs_one(bundle):
    bundle.toy.scratch(np.zeros(100, np.float32))
    bundle.toy.scratch(np.zeros(0, np.float32))


REFUSED = [
    (lambda t, y, x: t.axpy(y), dsops.InvalidError, "argument `x`: expected a tensor, got nothing"),
    (lambda t, y, x: t.axpy(y, x, 1, 2), TypeError, "expected at most 3 arguments, got 4"),
    (lambda t, y, x: t.axpy(y, x, y=y), TypeError, "toy.axpy: argument `y` is given twice"),
    (lambda t, y, x: t.axpy(y, x, alhpa=1), TypeError, "`alhpa`; did you mean `alpha`?"),
    (lambda t, y, x: t.axpy(y, x, zzz=1), TypeError, "no argument `zzz`; it has: y, x, alpha"),
    (lambda t, y, x: t.axpy(y, x, "1"), TypeError, "argument `alpha`: expected a float, got str"),
    (lambda t, y, x: t.axpy(y, x, True), TypeError, "argument `alpha`: expected a float, got bool"),
    (lambda t, y, x: t.axpy(y, x, [1]), TypeError, "argument `alpha`: expected a float, got list"),
    (lambda t, y, x: t.axpy(y, x, float("nan")), dsops.InvalidError,
     "argument `alpha`: expected a finite number, got nan"),
    (lambda t, y, x: t.report(np.zeros(7), 1.0), TypeError,
     "argument `count`: expected an int, got float"),
    (lambda t, y, x: t.report(np.zeros(7), True), TypeError,
     "argument `count`: expected an int, got bool"),
    (lambda t, y, x: t.report(np.zeros(7), 1 << 63), OverflowError,
     "argument `count`: expected 64 bits, got 9223372036854775808"),
    (lambda t, y, x: t.report(np.zeros(7), 1, 1), TypeError,
     "argument `flag`: expected a bool, got int"),
    (lambda t, y, x: t.axpy(y, [1.0]), TypeError,
     "argument `x`: expected an array with __dlpack__ or __array_interface__, got list"),
    (lambda t, y, x: t.lists(y, [x]), TypeError,
     "argument `ys`: expected a list of tensors, got ndarray"),
    (lambda t, y, x: t.lists([y, 3], [x]), TypeError, "argument `ys[1]`: expected an array with"),
    (lambda t, y, x: t.lists([y], [x, y]), dsops.InvalidError,
     "argument `xs[1]`: its memory overlaps that of `ys[0]`"),
    (lambda t, y, x: t.axpy(y, x[:10]), dsops.InvalidError,
     "toy.axpy: argument `x`: expected the 1000 elements of `y`, got 10"),
    (lambda t, y, x: t.stall(y, exec=dsops.Exec(device="emu")), dsops.Error, "wait at a barrier"),
]


@pytest.mark.parametrize("call, error, text", REFUSED, ids=[row[2] for row in REFUSED])
def test_what_is_wrong_is_refused_and_nothing_is_written(bundle, y, x, call, error, text):
    before = y.copy()
    with pytest.raises(error) as raised:
        call(bundle.toy, y, x)
    assert text in str(raised.value)
    np.testing.assert_array_equal(y, before)


def test_errors_carry_the_status(bundle, y):
    with pytest.raises(dsops.InvalidError) as raised:
        bundle.toy.axpy(y)
    assert raised.value.status == -1
    assert isinstance(raised.value, ValueError)
    with pytest.raises(dsops.NotFoundError) as raised:
        bundle.toy.missing(y)
    assert raised.value.status == -5


def test_help_and_signature_come_from_the_table(bundle):
    signature = inspect.signature(bundle.toy.report)
    assert str(signature) == "(out, count, flag=True, rate=0.5, extra=None, *, exec=None)"
    text = pydoc.plain(pydoc.render_doc(bundle.toy))
    assert "toy - An op for tests" in text
    assert "axpy(y, x, alpha=1.0, *, exec=None)" in text
    assert "y = y + alpha * x" in text
    assert "y: tensor of float32 [n], inout\n" in text
    assert "alpha: float, 1.0 if left out" in text
    assert "extra: tensor of float32 any, in, may be left out" in text
    assert "xs: list of tensors of float32 or float16 or bfloat16, in" in text


def test_many_threads_call_at_once(bundle, x):
    failures = []

    def work(alpha):
        y = np.zeros(1000, np.float32)
        for _ in range(50):
            bundle.toy.axpy(y, x, alpha)
        if not np.array_equal(y, 50 * alpha * x):
            failures.append(alpha)

    threads = [threading.Thread(target=work, args=(alpha,)) for alpha in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
