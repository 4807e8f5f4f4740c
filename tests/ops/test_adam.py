"""cpu_adam and fused_adam against double precision: what each element's update and states are."""
import numpy as np
import pytest
import reference

# Around the widths of vectors, of chunks (4096) and of blocks; none; one.
SIZES = [1, 0, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 255, 257, 1000, 4095, 4096, 4097,
         9001]


class State:
    """Lists of tensors of `sizes`, each a view that begins one element into a larger array."""

    def __init__(self, sizes, seed=1):
        random = np.random.RandomState(seed)
        self.whole = {name: [] for name in ("params", "grads", "exp_avgs", "exp_avg_sqs")}
        for name, arrays in self.whole.items():
            for size in sizes:
                array = random.standard_normal(size + 2).astype(np.float32)
                if name == "grads":
                    array *= np.float32(10.0) ** random.randint(-4, 2, size + 2).astype(np.float32)
                arrays.append(np.abs(array) * np.float32(0.1) if name == "exp_avg_sqs" else array)
        self.before = {name: [a.copy() for a in arrays] for name, arrays in self.whole.items()}

    def views(self):
        return {name: [array[1:-1] for array in arrays] for name, arrays in self.whole.items()}

    def flat(self, when, name):
        return np.concatenate([array[1:-1] for array in when[name]])

    def check(self, **numbers):
        """What a step did to each element since `before`; makes the results the new `before`."""
        p, g, m, v = (self.flat(self.before, name) for name in self.whole)
        exact = reference.Adam(p, g, m, v, **numbers)
        new_p, new_g, new_m, new_v = (self.flat(self.whole, name) for name in self.whole)
        assert np.array_equal(new_g, g), "a gradient was changed"
        update = p.astype(np.float64) - new_p
        for what, got, expected, allowed in [("exp_avg", new_m, exact.m, exact.off_m),
                                             ("exp_avg_sq", new_v, exact.v, exact.off_v),
                                             ("update", update, exact.update, exact.off_update)]:
            off = np.abs(got - expected)
            worst = np.argmax(off / allowed)
            assert (off <= allowed).all(), (
                f"{what}[{worst}]: expected {expected[worst]:.9g} within {allowed[worst]:.3g}, "
                f"got {got[worst]:.9g}")
        for name, arrays in self.whole.items():
            for array, old in zip(arrays, self.before[name]):
                assert array[0] == old[0] and array[-1] == old[-1], f"{name}: wrote outside"
        # The tolerance means something: an update is many times larger.
        assert np.median(exact.off_update / np.abs(exact.update)) < 1e-2
        self.before = {name: [a.copy() for a in arrays] for name, arrays in self.whole.items()}


@pytest.mark.parametrize("numbers", [
    {},
    {"weight_decay": 0.1},
    {"weight_decay": 0.1, "adamw": False},
    {"weight_decay": 0.01, "adamw": False, "grad_scale": 3.0},
    {"weight_decay": 0.5, "grad_scale": 1024.0},
    {"bias_correction": False},
    {"bias_correction": False, "weight_decay": 0.1, "beta1": 0.5, "beta2": 0.95},
    {"beta1": 0.0, "beta2": 0.0},
    {"eps": 0.1, "lr": 0.5},
    {"eps": 0.0},
], ids=lambda numbers: "-".join(f"{k}={v}" for k, v in numbers.items()) or "defaults")
def test_each_element_is_updated_as_double_precision_says(adam, numbers):
    numbers = {"lr": 0.01, **numbers}
    state = State(SIZES)
    for step in (1, 2, 3):
        adam(**state.views(), step=step, **numbers)
        state.check(step=step, **numbers)


@pytest.mark.parametrize("step", [10, 1000, 10**6, 2**40, 2**63 - 1])
def test_bias_correction_is_right_at_any_step(adam, step):
    state = State([1000])
    adam(**state.views(), step=step, beta2=0.9999, lr=0.01)
    state.check(step=step, beta2=0.9999, lr=0.01)


def test_many_steps_stay_near_double_precision(adam):
    numbers = {"lr": 0.01, "weight_decay": 0.1}
    state = State([3001])
    p, g, m, v = (state.flat(state.before, n).astype(np.float64) for n in state.whole)
    start = p.copy()
    for step in range(1, 101):
        adam(**state.views(), step=step, **numbers)
        exact = reference.Adam(p, g, m, v, step=step, **numbers)
        p, m, v = p - exact.update, exact.m, exact.v
    moved = state.flat(state.whole, "params") - start
    assert np.abs(moved - (p - start)).max() < 1e-5 and np.median(np.abs(p - start)) > 0.1


def test_more_tensors_than_one_launch_takes(adam):
    state = State([7, 0, 130] * 100)
    adam(**state.views(), step=1, lr=0.01)
    state.check(step=1, lr=0.01)


def test_no_tensors_and_empty_tensors_are_nothing_to_do(adam):
    adam(params=[], grads=[], exp_avgs=[], exp_avg_sqs=[], step=1)
    empty = [np.empty(0, np.float32) for _ in range(4)]
    adam(params=empty[:1], grads=empty[1:2], exp_avgs=empty[2:3], exp_avg_sqs=empty[3:], step=1)


def test_only_the_number_of_elements_must_agree(adam):
    shaped = State([24])
    flat = State([24])
    views = shaped.views()
    views["params"] = [views["params"][0].reshape(2, 3, 4)]
    adam(**views, step=1)
    adam(**flat.views(), step=1)
    assert np.array_equal(shaped.whole["params"][0], flat.whole["params"][0])


@pytest.mark.parametrize("bits", [0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x7F800001])
def test_infinities_and_nans_do_what_arithmetic_says_with_one_nan(adam, bits):
    special = np.array([bits], np.uint32).view(np.float32)
    for name in ("params", "grads", "exp_avgs"):
        arrays = {n: [np.full(70, 0.5, np.float32)] for n in
                  ("params", "grads", "exp_avgs", "exp_avg_sqs")}
        arrays[name][0][3] = special[0]
        adam(**arrays, step=1)
        touched = {n: np.flatnonzero(~np.isfinite(a[0])).tolist() for n, a in arrays.items()}
        assert set(sum(touched.values(), [])) == {3}
        for n in ("params", "exp_avgs", "exp_avg_sqs"):
            nan = np.isnan(arrays[n][0])
            assert set(arrays[n][0][nan].view(np.uint32)) <= {0x7FC00000}
        if name == "params" and np.isinf(special[0]):
            assert arrays["params"][0][3] == special[0]


GOOD = {"step": 1, "lr": 1e-3}


@pytest.mark.parametrize("wrong, text", [
    ({"step": 0}, "argument `step`: expected 1 or more, got 0"),
    ({"step": -(2**63)}, "argument `step`: expected 1 or more, got -9223372036854775808"),
    ({"lr": -1.0}, "argument `lr`: expected a number from 0 to 1e30, got -1"),
    ({"lr": float("nan")}, "argument `lr`: expected a finite number, got nan"),
    ({"lr": float("inf")}, "argument `lr`: expected a finite number, got inf"),
    ({"beta1": 1.0}, "argument `beta1`: expected a number from 0 to just below 1, got 1"),
    ({"beta2": -0.1}, "argument `beta2`: expected a number from 0 to just below 1, got -0.1"),
    ({"eps": -1e-8}, "argument `eps`: expected a number from 0 to 1e30, got -1e-08"),
    ({"weight_decay": -0.1},
     "argument `weight_decay`: expected a number from 0 to 1e30, got -0.1"),
    ({"weight_decay": float("nan")},
     "argument `weight_decay`: expected a finite number, got nan"),
    ({"grad_scale": 0.0}, "argument `grad_scale`: expected a number from 1e-30 to 1e30, got 0"),
    ({"grads": [5]}, "argument `grads`: expected 2 tensors, as in `params`, got 1"),
    ({"exp_avgs": [5, 6, 7]}, "argument `exp_avgs`: expected 2 tensors, as in `params`, got 3"),
    ({"exp_avg_sqs": [5, 7]},
     "argument `exp_avg_sqs[1]`: expected 6 elements, as in `params[1]`, got 7"),
])
def test_a_wrong_argument_is_named_with_what_was_expected_and_nothing_is_touched(adam, wrong, text):
    arguments = {name: [np.ones(size, np.float32) for size in wrong.get(name, [5, 6])]
                 for name in ("params", "grads", "exp_avgs", "exp_avg_sqs")}
    numbers = {**GOOD, **{k: v for k, v in wrong.items() if k not in arguments}}
    with pytest.raises(Exception) as error:
        adam(**arguments, **numbers)
    assert text in str(error.value) and ".adam" in str(error.value)
    assert all((a == 1).all() for a in arguments["params"])


def two(make):
    return {name: [make(name, i) for i in range(2)]
            for name in ("params", "grads", "exp_avgs", "exp_avg_sqs")}


def test_wrong_tensors_are_named_and_nothing_is_touched(adam):
    shared = np.ones(100, np.float32)
    frozen = np.ones(5, np.float32)
    frozen.flags.writeable = False
    for name, index, tensor in [("grads", 1, np.ones(5, np.float16)),
                                ("params", 0, np.ones(5, np.float64)),
                                ("exp_avgs", 1, np.ones(10, np.float32)[::2]),
                                ("exp_avg_sqs", 0, frozen)]:
        arguments = two(lambda *_: np.ones(5, np.float32))
        arguments[name][index] = tensor
        with pytest.raises(Exception) as error:
            adam(**arguments, step=1)
        assert f"`{name}" in str(error.value)
        assert (arguments["params"][1] == 1).all()
    for first, second in [(("params", 0), ("params", 1)), (("params", 0), ("grads", 1)),
                          (("exp_avgs", 1), ("exp_avg_sqs", 1))]:
        arguments = two(lambda *_: np.ones(5, np.float32))
        arguments[first[0]][first[1]] = shared[10:15]
        arguments[second[0]][second[1]] = shared[14:19]
        with pytest.raises(Exception, match="overlap"):
            adam(**arguments, step=1)
        assert (shared == 1).all()
