/* One AdamW step on three numbers by cpu_adam of the bundle in out/bundle, checked against the formula. */
#include <dsops/dsops.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 3 };

static void check(int32_t status) {
  if (status == DSOPS_OK) return;
  fprintf(stderr, "%s: %s\n", dsops_status_name(status), dsops_last_error());
  exit(1);
}

int main(void) {
  float param[N] = {1.0f, -2.0f, 3.0f}, grad[N] = {0.5f, 0.25f, -1.0f}, m[N] = {0}, v[N] = {0};
  const float before[N] = {1.0f, -2.0f, 3.0f};
  int64_t shape[1] = {N};
  const DLTensor p = {param, {DSOPS_DEVICE_CPU, 0}, 1, {DSOPS_CODE_FLOAT, 32, 1}, shape, NULL, 0};
  DLTensor g = p, m1 = p, m2 = p;
  g.data = grad, m1.data = m, m2.data = v;
  const DLTensor *tensors[4] = {&p, &g, &m1, &m2};
  dsops_tensor_list lists[4];
  dsops_value args[5];
  for (int i = 0; i < 4; ++i) {
    lists[i] = (dsops_tensor_list){sizeof lists[i], 0, 1, &tensors[i]};
    args[i] = (dsops_value){DSOPS_TENSOR_LIST, 0, {.list = &lists[i]}};
  }
  args[4] = (dsops_value){DSOPS_INT, 0, {.i64 = 1}}; /* step; the rest has defaults: lr 0.001, AdamW */

  dsops_bundle *bundle;
  dsops_callable *adam;
  check(dsops_bundle_open(NULL, &bundle)); /* the bundle that libdsops lies in */
  check(dsops_find(bundle, "cpu_adam", "adam", &adam));
  check(dsops_call(adam, NULL, args, 5));
  dsops_bundle_close(bundle);

  /* At step 1 the corrected moments are g and g*g: the update is lr * g / (|g| + eps). */
  for (int i = 0; i < N; ++i) {
    const double expected = before[i] - 1e-3 * grad[i] / (fabs(grad[i]) + 1e-8);
    printf("%g -> %.7g\n", before[i], param[i]);
    if (fabs(param[i] - expected) > 1e-6) return 1;
  }
  return 0;
}
