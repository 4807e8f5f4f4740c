#include "plan/scope.h"

#include <algorithm>

#include "base/text.h"
#include "plan/tree_variables.h"

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

/// Ops whose modules must be loaded before those that were asked for; of named ones they are named.
void add_dependencies(const manifest::Catalog& catalog, Scope& scope) {
  for (std::size_t i = 0; i < scope.ops.size(); ++i) {
    const bool named = scope.names_op(scope.ops[i]->name);
    for (const std::string& name : scope.ops[i]->after) {
      const auto op = catalog.ops.find(name);
      if (op == catalog.ops.end()) continue;
      if (named) scope.named_ops.insert(name);
      if (std::find(scope.ops.begin(), scope.ops.end(), &op->second) == scope.ops.end())
        scope.ops.push_back(&op->second);
    }
  }
}

bool has_extension(const Scope& scope) {
  return std::any_of(scope.ops.begin(), scope.ops.end(), [](const manifest::Op* op) {
    return op->kind == manifest::OpKind::python_extension;
  });
}

void add_all_ops(const manifest::Catalog& catalog, const std::vector<std::string>& but,
                 Scope& scope) {
  for (const auto& [name, op] : catalog.ops) {
    if (std::find(but.begin(), but.end(), name) == but.end()) scope.ops.push_back(&op);
  }
}

/// The ops that --ops names.
void find_named_ops(const Request& request, const manifest::Catalog& catalog, Scope& scope,
                    Diagnostics& diagnostics) {
  scope.ops_origin = "--ops";
  if (request.ops == std::vector<std::string>{kAllOps}) return add_all_ops(catalog, {}, scope);
  for (const std::string& name : request.ops) {
    const auto op = catalog.ops.find(name);
    if (op != catalog.ops.end()) {
      scope.ops.push_back(&op->second);
      scope.named_ops.insert(name);
    } else {
      diagnostics.error(scope.ops_origin, "", "there is no op '" + name + "'",
                        did_you_mean(name, names_of(catalog.ops)));
    }
  }
}

/// Those that the tree's variables ask for. A variable that asks for one op means that one alone,
/// unless all are asked for, too.
void find_wished_ops(const OpWishes& wishes, const manifest::Catalog& catalog, Scope& scope,
                     Diagnostics& diagnostics) {
  scope.ops_origin = join(wishes.variables, ", ");
  scope.named_ops.insert(wishes.wanted.begin(), wishes.wanted.end());
  if (wishes.all.value_or(wishes.wanted.empty()))
    return add_all_ops(catalog, wishes.unwanted, scope);
  for (const std::string& name : wishes.wanted) scope.ops.push_back(&catalog.ops.at(name));
  if (scope.ops.empty()) {
    diagnostics.error(scope.ops_origin, "", "no op is asked for",
                      "set an op's own variable to 1, or name ops with --ops");
  }
}

void find_ops(const Request& request, const manifest::Catalog& catalog, Scope& scope,
              Diagnostics& diagnostics) {
  const OpWishes wishes = find_op_wishes(catalog, request.environment, diagnostics);
  if (!request.ops.empty()) {
    find_named_ops(request, catalog, scope, diagnostics);
  } else if (!wishes.variables.empty()) {
    find_wished_ops(wishes, catalog, scope, diagnostics);
  } else {
    add_all_ops(catalog, {}, scope);
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

std::vector<std::string> find_asked_ops(const Request& request, const manifest::Catalog& catalog) {
  Scope scope;
  Diagnostics told_later;
  find_ops(request, catalog, scope, told_later);
  std::vector<std::string> names;
  for (const manifest::Op* op : scope.ops) names.push_back(op->name);
  return names;
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
