#include "plan/scope.h"

#include <algorithm>

#include "base/text.h"

namespace dsbuild::plan {
namespace {

template <typename Named>
std::vector<std::string> names_of(const std::map<std::string, Named>& all) {
  std::vector<std::string> names;
  for (const auto& [name, value] : all) names.push_back(name);
  return names;
}

/// In the order of names, each once.
template <typename Named>
void tidy(std::vector<const Named*>& list) {
  std::sort(list.begin(), list.end(), [](auto* a, auto* b) { return a->name < b->name; });
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

/// Ops whose modules must be loaded before those that were asked for.
void add_dependencies(const manifest::Catalog& catalog, Scope& scope) {
  for (std::size_t i = 0; i < scope.ops.size(); ++i) {
    for (const std::string& name : scope.ops[i]->after) {
      const auto op = catalog.ops.find(name);
      const bool is_new = op != catalog.ops.end() && std::find(scope.ops.begin(), scope.ops.end(),
                                                               &op->second) == scope.ops.end();
      if (is_new) scope.ops.push_back(&op->second);
    }
  }
}

bool has_extension(const Scope& scope) {
  return std::any_of(scope.ops.begin(), scope.ops.end(), [](const manifest::Op* op) {
    return op->kind == manifest::OpKind::python_extension;
  });
}

void find_ops(const Request& request, const manifest::Catalog& catalog, Scope& scope,
              Diagnostics& diagnostics) {
  const bool all = request.ops == std::vector<std::string>{kAllOps};
  scope.ops_named = !request.ops.empty() && !all;
  for (const std::string& name : request.ops) {
    if (all) break;
    const auto op = catalog.ops.find(name);
    if (op != catalog.ops.end()) {
      scope.ops.push_back(&op->second);
    } else {
      diagnostics.error("--ops", "", "there is no op '" + name + "'",
                        did_you_mean(name, names_of(catalog.ops)));
    }
  }
  if (!scope.ops_named) {
    for (const auto& [name, op] : catalog.ops) scope.ops.push_back(&op);
  }
  add_dependencies(catalog, scope);
  tidy(scope.ops);
}

void find_accelerators(const Request& request, const manifest::Catalog& catalog, Scope& scope,
                       Diagnostics& diagnostics) {
  scope.accelerators_named = !request.accelerators.empty();
  scope.accelerators_origin = request.accelerators_origin;
  scope.of_machines = request.of_machines;
  for (const std::string& name : request.accelerators) {
    if (const auto* accelerator = catalog.find_accelerator(name)) {
      scope.accelerators.push_back(accelerator);
    } else {
      diagnostics.error(request.accelerators_origin, "", "there is no accelerator '" + name + "'",
                        did_you_mean(name, names_of(catalog.accelerators)));
    }
  }
  if (!scope.accelerators_named) {
    for (const auto& [name, accelerator] : catalog.accelerators)
      scope.accelerators.push_back(&accelerator);
  }
  tidy(scope.accelerators);
}

/// An arch on the command line whose accelerator is left out is a contradiction. A variable's
/// isn't: it tells how to build for that accelerator if one does.
void find_archs(const Request& request, const manifest::Catalog& catalog, Scope& scope,
                Diagnostics& diagnostics) {
  scope.archs = parse_arch_settings(request.archs, catalog, scope.machine, diagnostics);
  for (const auto& [name, wishes] : scope.archs) {
    const manifest::Accelerator& accelerator = catalog.accelerators.at(name);
    if (scope.asks_for(accelerator) || wishes.from_variable || !wishes.names_accelerator) continue;
    // Of the host they are the level of an extension's host code, whatever the accelerator.
    if (accelerator.host && has_extension(scope)) continue;
    diagnostics.error(
        wishes.origin, "",
        "archs of " + name + " are asked for, but " + scope.accelerators_origin + " leaves it out",
        scope.way_to_add(name) + ", or leave its archs out");
  }
}

}  // namespace

bool Scope::asks_for(const manifest::Accelerator& accelerator) const {
  return std::find(accelerators.begin(), accelerators.end(), &accelerator) != accelerators.end();
}

std::string Scope::way_to_add(const std::string& accelerator) const {
  return of_machines ? "name " + accelerator + " in --accelerators"
                     : "add " + accelerator + " to " + accelerators_origin;
}

const ArchWishes* Scope::wishes_of(const std::string& accelerator) const {
  const auto wishes = archs.find(accelerator);
  return wishes == archs.end() ? nullptr : &wishes->second;
}

bool Scope::names(const manifest::Accelerator& accelerator) const {
  if (!asks_for(accelerator) || of_machines) return false;
  const ArchWishes* wishes = wishes_of(accelerator.name);
  return accelerators_named ||
         (wishes != nullptr && wishes->names_accelerator && !wishes->from_variable);
}

Scope find_scope(const Request& request, const manifest::Catalog& catalog,
                 const probe::Machine& machine, Diagnostics& diagnostics) {
  Scope scope;
  scope.machine = machine.host.machine.value.value_or("");
  find_ops(request, catalog, scope, diagnostics);
  find_accelerators(request, catalog, scope, diagnostics);
  find_archs(request, catalog, scope, diagnostics);
  return scope;
}

}  // namespace dsbuild::plan
