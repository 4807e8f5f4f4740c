#include "manifest/read.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "manifest/accelerator.h"
#include "manifest/claims.h"
#include "manifest/node.h"
#include "manifest/op.h"
#include "manifest/schema.h"
#include "manifest/shapes.h"
#include "manifest/tree.h"

namespace fs = std::filesystem;

namespace dsbuild::manifest {
namespace {

constexpr std::string_view kRuntime = "runtime.json";

/// A manifest found, and how its sources are to be found.
struct FoundFile {
  fs::path path;
  fs::path root;
  bool single = false;  ///< given by path: its sources lie beside it
};

/// Reads one catalog: each pass goes over all files, so that every problem of every file is told.
class Reader {
 public:
  Reader(const System& system, const CatalogSources& sources, Diagnostics& diagnostics,
         KnownForms& known_forms)
      : system_(system), sources_(sources), diagnostics_(diagnostics), known_forms_(known_forms) {}

  Catalog read() {
    find_roots();
    for (const fs::path& file : sources_.manifests) find_single(file);
    read_accelerators();
    if (!sources_.tree.empty()) read_tree();
    read_ops();
    return std::move(catalog_);
  }

 private:
  // ---- finding files

  void find_roots() {
    add_root(sources_.built_in);
    for (const fs::path& root : sources_.roots) add_root(root);
  }

  void add_root(const fs::path& root) {
    const fs::path manifests = root / "manifests";
    const auto status = system_.status(manifests);
    if (!status || !status->is_folder()) {
      return tell(root, Rule::not_a_root);
    }
    if (!is_new(manifests)) return;
    catalog_.roots.push_back(root);
    find_files(root, manifests, manifests, false);
  }

  /// All *.json below `folder`, in byte order; `of_accelerators` is handed down.
  /// A folder of a source tree is left alone.
  void find_files(const fs::path& root, const fs::path& manifests, const fs::path& folder,
                  bool of_accelerators) {
    const std::vector<std::string> names = system_.list_folder(folder);
    if (std::find(names.begin(), names.end(), kTreeFile) != names.end()) {
      tree_folders_.push_back({folder, root, false});
      return;
    }
    for (const std::string& name : names) {
      const fs::path path = folder / name;
      const bool top = folder == manifests;
      const auto status = system_.status(path);
      if (status && status->is_folder()) {
        if ((top && name == "schema") || !is_new(path)) continue;
        find_files(root, manifests, path, of_accelerators || (top && name == "accelerators"));
      } else if (path.extension() == ".json" && is_new(path)) {
        if (top && name == kRuntime && root == sources_.built_in) continue;
        (of_accelerators ? descriptor_files_ : op_files_).push_back({path, root, false});
      }
    }
  }

  /// A descriptor says which archs it has; an op never does.
  void find_single(const fs::path& path) {
    if (!is_new(path)) return;  // it is in one of the roots
    const fs::path folder = path.parent_path();
    auto document = read_document({path, folder, true});
    if (!document) return;
    if (document->json.contains("archs") || document->json.contains("toolchains")) {
      descriptor_files_.push_back({path, folder, true});
    } else {
      op_files_.push_back({path, folder, true});
    }
    single_documents_.emplace(path, std::move(document));
  }

  /// False when the file or folder was met before, by another name or through a link.
  bool is_new(const fs::path& path) {
    return seen_.insert(real_paths_.resolve(path).value_or(path)).second;
  }

  // ---- reading them

  /// The file's JSON without comments; null when it is none, which is told.
  std::unique_ptr<Document> read_document(const FoundFile& file) {
    const auto known = single_documents_.find(file.path);
    if (known != single_documents_.end()) return std::move(known->second);
    const std::string name = file.path.string();
    const auto text = system_.read_file(file.path);
    if (!text) {
      tell(file.path, Rule::unreadable_file);
      return nullptr;
    }
    auto json = parse_json(*text, name, diagnostics_);
    if (!json) return nullptr;
    remove_comments(*json);
    auto document =
        std::make_unique<Document>(Document{name, std::move(*json), &diagnostics_, *text});
    if (may_have_controls(*text)) check_characters(Node(*document));
    return document;
  }

  Schema read_schema(std::string_view name) {
    const fs::path path = sources_.built_in / "manifests" / "schema" / name;
    return {system_.read_file(path).value_or(""), path.string()};
  }

  void read_accelerators() {
    Schema schema = read_schema("accelerator.v1.json");
    std::vector<DescriptorFile> descriptors;
    std::vector<ToolchainProbe> probes;
    for (const FoundFile& file : descriptor_files_) {
      auto document = read_document(file);
      if (!document) continue;
      schema.check(*document, known_forms_);
      Accelerator accelerator = read_accelerator(Node(*document));
      probes.insert(probes.end(), accelerator.probes.begin(), accelerator.probes.end());
      descriptors.push_back({std::move(document), std::move(accelerator)});
    }
    check_claims(descriptors);
    for (DescriptorFile& descriptor : descriptors) {
      const Node root(*descriptor.document);
      check_accelerator(root, descriptor.accelerator, probes);
      add(root, catalog_.accelerators, std::move(descriptor.accelerator), "accelerator");
    }
    const auto is_host = [](const auto& entry) { return entry.second.host; };
    if (std::none_of(catalog_.accelerators.begin(), catalog_.accelerators.end(), is_host)) {
      tell(sources_.built_in / "manifests" / "accelerators", Rule::no_host);
    }
  }

  /// The one that the folder is of; its ops stand in for those of the roots.
  void read_tree() {
    Schema schema = read_schema("tree.v1.json");
    std::vector<std::string> known;
    for (const FoundFile& folder : tree_folders_) {
      auto document = read_document({folder.path / kTreeFile, folder.root, false});
      if (!document) continue;
      schema.check(*document, known_forms_);
      const Node root(*document);
      known.push_back(root.at("name").text());
      catalog_.tree = find_tree(system_, root, sources_.tree, catalog_.accelerators);
      if (!catalog_.tree) continue;
      op_files_.clear();
      for (const std::string& name : system_.list_folder(folder.path)) {
        const fs::path path = folder.path / name;
        if (name != kTreeFile && path.extension() == ".json")
          op_files_.push_back({path, catalog_.tree->root, true});
      }
      return;
    }
    diagnostics_.error("--source " + sources_.tree.string(), "",
                       "the folder holds no source tree that is known here",
                       "known are: " + join(known, ", ") +
                           "; name a checkout, an unpacked source package or site-packages");
  }

  void read_ops() {
    Schema schema = read_schema("op.v1.json");
    const auto read_one = [&](const FoundFile& file, const auto& folder_of, const auto& keep) {
      auto document = read_document(file);
      if (!document) return;
      schema.check(*document, known_forms_);
      const Node root(*document);
      const std::string name = root.at("name").text();
      // Without a name there is no folder to look for sources in.
      const fs::path folder = has_shape(name, kWord) || file.single ? folder_of(name) : fs::path();
      OpContext context{catalog_.accelerators, file.root, {system_, real_paths_, folder}};
      if (catalog_.tree && file.root == catalog_.tree->root) {
        context.tree = &*catalog_.tree;
        context.folder.tree = context.tree;
      }
      Op op = read_op(root, context);
      check_op(root, op, catalog_.accelerators);
      keep(root, std::move(op));
    };
    for (const FoundFile& file : op_files_) {
      read_one(
          file,
          [&](const std::string& name) {
            return file.single ? file.root : file.root / "ops" / name;
          },
          [&](const Node& root, Op op) { add(root, catalog_.ops, std::move(op), "op"); });
    }
    // What this version of a tree hasn't got is nothing that must be loaded before.
    for (auto& [name, op] : catalog_.ops) {
      std::erase_if(op.after, [&](const std::string& other) {
        const auto found = catalog_.ops.find(other);
        return found != catalog_.ops.end() && found->second.kind == OpKind::python_extension &&
               found->second.parts.empty();
      });
    }
    const fs::path runtime = sources_.built_in / "manifests" / kRuntime;
    if (!system_.exists(runtime)) return;
    read_one(
        {runtime, sources_.built_in, false},
        [&](const std::string&) { return sources_.built_in / "src"; },
        [&](const Node&, Op op) { catalog_.runtime = std::move(op); });
  }

  /// Tells of a file or folder as a whole.
  void tell(const fs::path& path, Rule rule) {
    const RuleRow& row = rule_row(rule);
    diagnostics_.error(path.string(), "", std::string(row.message), std::string(row.hint));
  }

  template <typename T>
  void add(const Node& root, std::map<std::string, T>& into, T value, const std::string& what) {
    const std::string name = value.name;
    if (name.empty()) return;  // told by the schema
    const auto [entry, is_first] = into.emplace(name, std::move(value));
    if (!is_first) {
      root.at("name").complain(Rule::name_taken, {what, name, entry->second.file.string()});
    }
  }

  const System& system_;
  RealPaths real_paths_{system_};
  const CatalogSources& sources_;
  Diagnostics& diagnostics_;
  KnownForms& known_forms_;
  Catalog catalog_;
  std::set<fs::path> seen_;
  std::vector<FoundFile> descriptor_files_;
  std::vector<FoundFile> op_files_;
  std::vector<FoundFile> tree_folders_;
  std::map<fs::path, std::unique_ptr<Document>> single_documents_;
};

}  // namespace

Catalog read_catalog(const System& system, const CatalogSources& sources,
                     Diagnostics& diagnostics) {
  KnownForms none;
  return read_catalog(system, sources, diagnostics, none);
}

Catalog read_catalog(const System& system, const CatalogSources& sources, Diagnostics& diagnostics,
                     KnownForms& known_forms) {
  return Reader(system, sources, diagnostics, known_forms).read();
}

}  // namespace dsbuild::manifest
