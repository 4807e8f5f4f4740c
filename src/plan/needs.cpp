#include "plan/needs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace dsbuild::plan {
namespace {

std::optional<Reason> find_unmet_machine(const std::string& who, const manifest::Needs& needs,
                                         const probe::Machine& machine) {
  if (needs.machines.empty()) return std::nullopt;
  const auto& host = machine.host.machine;
  const bool listed = host && std::find(needs.machines.begin(), needs.machines.end(), *host) !=
                                  needs.machines.end();
  if (listed) return std::nullopt;
  return Reason{ReasonCode::machine_unsupported,
                fmt::format("{} is only for {}; this machine is {}", who,
                            join(needs.machines, ", "), host ? *host : "unknown: " + host.reason),
                ""};
}

std::optional<Reason> find_unmet_command(const std::string& who, const manifest::Needs& needs,
                                         const probe::Machine& machine) {
  for (const std::string& name : needs.commands) {
    const probe::Tool* tool = machine.find_tool(name);
    if (tool != nullptr && tool->path) continue;
    std::string text = fmt::format("{} needs the command {}", who, name);
    if (tool != nullptr && !tool->path.reason.empty()) text += ": " + tool->path.reason;
    return Reason{ReasonCode::need_missing, text, "install " + name + " and put it on PATH"};
  }
  return std::nullopt;
}

std::optional<Reason> find_unmet_package(const std::string& who, const manifest::Needs& needs,
                                         const probe::Machine& machine) {
  for (const auto& [name, range] : needs.packages) {
    const auto fact = machine.packages.find(name);
    const std::string wanted = fmt::format("{} needs the package {} {}", who, name, range.text());
    if (fact == machine.packages.end() || !fact->second) {
      const std::string why = fact == machine.packages.end() ? "" : fact->second.reason;
      return Reason{ReasonCode::need_missing, wanted + (why.empty() ? "" : ": " + why),
                    "install the development files of " + name};
    }
    if (range.contains(*fact->second)) continue;
    return Reason{
        ReasonCode::need_version,
        fmt::format("{}; {} says {}", wanted, fact->second.source, fact->second->number()),
        "install a version " + range.text()};
  }
  return std::nullopt;
}

/// `fact` outside of `range`, told as `what`.
std::optional<Reason> find_outside(const std::string& who, const std::string& what,
                                   const std::optional<VersionRange>& range,
                                   const Fact<Version>& fact, const std::string& where) {
  if (!range || (fact && range->contains(*fact))) return std::nullopt;
  return Reason{fact ? ReasonCode::need_version : ReasonCode::need_missing,
                fmt::format("{} needs {} {}; {}", who, what, range->text(),
                            fact ? fmt::format("{} is {}", where, fact->text) : fact.reason),
                "take another one: --torch DIR or --python PATH"};
}

std::optional<Reason> find_unmet_torch(const std::string& who, const manifest::Needs& needs,
                                       const probe::Torch& torch) {
  if (auto reason = find_outside(who, "torch", needs.torch, torch.version, torch.path))
    return reason;
  if (auto reason = find_outside(who, "Python", needs.python, torch.python, torch.prefix))
    return reason;
  for (const auto& [name, range] : needs.python_packages) {
    const auto found = torch.packages.find(name);
    const auto missing = Fact<Version>::missing("it was not looked for beside " + torch.path);
    auto reason = find_outside(who, "the Python package " + name, range,
                               found == torch.packages.end() ? missing : found->second,
                               "the one in " + torch.site);
    if (!reason) continue;
    reason->hint = "install it beside that torch";
    return reason;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Reason> find_unmet_need(const std::string& who, const manifest::Needs& needs,
                                      const probe::Machine& machine, const probe::Torch* torch) {
  for (const auto find : {find_unmet_machine, find_unmet_command, find_unmet_package}) {
    if (auto reason = find(who, needs, machine)) return reason;
  }
  if (torch != nullptr) return find_unmet_torch(who, needs, *torch);
  return std::nullopt;
}

}  // namespace dsbuild::plan
