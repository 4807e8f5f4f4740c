// The accelerators of a machine as tables. Knows what to tell, not how it looks.
#pragma once

#include "probe/accelerators/accelerator_state.h"
#include "report/document.h"

namespace dsbuild::report {

/// One line for each accelerator that is detected or can be compiled for, and a note that names the
/// others; and the one that a program would take here.
Section accelerator_section(const probe::AcceleratorStates& states);

/// All of them, in the order in which they are looked for, with what a program must know of each.
Document make_accelerators_report(const probe::AcceleratorStates& states);

}  // namespace dsbuild::report
