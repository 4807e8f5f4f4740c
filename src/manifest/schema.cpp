#include "manifest/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"

namespace dsbuild::manifest {
namespace {

using Adapter = valijson::adapters::NlohmannJsonAdapter;

/// What valijson says of a leaf, and our rule for it. It names no keyword, so its sentences are all
/// there is; a sentence that is not here is passed on as it is.
struct KindRow {
  std::string_view sentence;
  Rule rule;
};
constexpr std::array<KindRow, 8> kKinds{{
    {"Value type not permitted", Rule::wrong_type},
    {"Object contains a property", Rule::unknown_key},
    {"Missing required property", Rule::missing_key},
    {"Failed to match against any enum", Rule::not_allowed_value},
    {"Array should contain no fewer", Rule::empty_list},
    {"Object should have no fewer", Rule::empty_object},
    {"String should be no fewer", Rule::empty_text},
    {"Elements at indexes", Rule::equal_items},
}};

/// valijson repeats an error at each parent, with sentences that begin so.
constexpr std::string_view kRepetition = "Failed to validate";

struct TypeRow {
  std::string_view type;
  std::string_view name;
};
constexpr std::array<TypeRow, 7> kTypes{{{"string", "text"},
                                         {"integer", "a whole number"},
                                         {"number", "a number"},
                                         {"boolean", "true or false"},
                                         {"array", "a list"},
                                         {"object", "an object"},
                                         {"null", "null"}}};

std::string type_name(std::string_view type) {
  const auto row = std::find_if(kTypes.begin(), kTypes.end(),
                                [&](const TypeRow& candidate) { return candidate.type == type; });
  return std::string(row == kTypes.end() ? type : row->name);
}

const Json* member(const Json* object, std::string_view key) {
  if (object == nullptr || !object->is_object()) return nullptr;
  const auto found = object->find(key);
  return found == object->end() ? nullptr : &*found;
}

/// Follows `$ref`, which is local in our schemas.
const Json* dereference(const Json& schema, const Json* part) {
  const Json* reference = member(part, "$ref");
  if (reference == nullptr) return part;
  return &schema.at(Json::json_pointer(reference->get<std::string>().substr(1)));
}

/// The part of `schema` that rules the member or item `token` of `value`, which `part` rules.
const Json* subschema(const Json& schema, const Json* part, const Json& value,
                      const std::string& token) {
  part = dereference(schema, part);
  if (value.is_array()) return member(part, "items");
  const Json* known = member(member(part, "properties"), token);
  return known != nullptr ? known : member(part, "additionalProperties");
}

std::vector<std::string> names_of(const Json* object) {
  std::vector<std::string> names;
  if (object == nullptr) return names;
  for (auto it = object->begin(); it != object->end(); ++it) {
    if (!it.key().starts_with('$')) names.push_back(it.key());
  }
  return names;
}

std::string shown(const Json& value) {
  return value.is_string() ? "'" + value.get<std::string>() + "'" : value.dump();
}

/// The first sentence of a description.
std::string first_sentence(const std::string& text) {
  return text.substr(0, std::min(text.find(". "), text.size() - (text.ends_with('.') ? 1 : 0)));
}

/// A place that valijson complained of, with the part of the schema that rules there.
struct Place {
  Node node;
  const Json* value;
  const Json* part;
  std::string hint;  ///< the nearest description above, after its key
};

Place find_place(const Document& document, const Json& schema,
                 const std::vector<std::string>& context) {
  Place place{Node(document), &document.json, &schema, {}};
  for (std::size_t i = 1; i < context.size(); ++i) {                        // the first is "<root>"
    const std::string token = context[i].substr(1, context[i].size() - 2);  // "[token]"
    const Json* part = subschema(schema, place.part, *place.value, token);
    const Json* text = member(part, "description");
    part = dereference(schema, part);
    if (text == nullptr) text = member(part, "description");
    if (text != nullptr) place.hint = token + ": " + first_sentence(text->get<std::string>());
    if (place.value->is_array()) {
      const std::size_t index = std::stoul(token);
      place.node = place.node.items()[index];
      place.value = &(*place.value)[index];
    } else {
      place.node = place.node.at(token);
      place.value = &(*place.value)[token];
    }
    place.part = part;
  }
  return place;
}

void tell_type(const Place& place) {
  const Json* type = member(place.part, "type");
  std::vector<std::string> wanted;
  if (type != nullptr && type->is_string()) wanted.push_back(type_name(type->get<std::string>()));
  if (type != nullptr && type->is_array()) {
    for (const Json& one : *type) wanted.push_back(type_name(one.get<std::string>()));
  }
  const std::string got =
      type_name(place.value->is_number_integer() ? "integer" : place.value->type_name());
  place.node.complain(Rule::wrong_type, {join(wanted, " or "), got, place.hint});
}

/// valijson names only the first unknown key of an object; we name all.
void tell_unknown_keys(const Place& place) {
  const std::vector<std::string> known = names_of(member(place.part, "properties"));
  for (const auto& [key, node] : place.node.members()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      node.complain(Rule::unknown_key, {key, did_you_mean(key, known)});
    }
  }
}

void tell_missing_key(const Json& schema, const Place& place, const std::string& sentence) {
  const auto open = sentence.find('\'');
  const std::string key = sentence.substr(open + 1, sentence.rfind('\'') - open - 1);
  const Json* part = member(member(place.part, "properties"), key);
  const Json* text = member(part, "description");
  if (text == nullptr) text = member(dereference(schema, part), "description");
  place.node.complain(
      Rule::missing_key,
      {key, text == nullptr ? "add it" : key + ": " + first_sentence(text->get<std::string>())});
}

void tell_value(const Place& place) {
  std::vector<std::string> allowed;
  for (const Json& value : *member(place.part, "enum")) {
    allowed.push_back(value.is_string() ? value.get<std::string>() : value.dump());
  }
  const std::string near =
      place.value->is_string() ? nearest(place.value->get<std::string>(), allowed) : "";
  place.node.complain(Rule::not_allowed_value,
                      {shown(*place.value), near.empty() ? "write " + join(allowed, " or ")
                                                         : "did you mean '" + near + "'?"});
}

/// "Elements at indexes #0 and #2 violate uniqueness constraint."
void tell_equal_items(const Place& place, const std::string& sentence) {
  std::vector<std::string> numbers;
  for (const std::string& word : split(sentence, " ")) {
    if (word.starts_with('#')) numbers.push_back(word.substr(1));
  }
  place.node.complain(Rule::equal_items, {numbers.at(0), numbers.at(1)});
}

void tell(const Json& schema, const Place& place, Rule rule, const std::string& sentence) {
  switch (rule) {
    case Rule::wrong_type:
      return tell_type(place);
    case Rule::unknown_key:
      return tell_unknown_keys(place);
    case Rule::missing_key:
      return tell_missing_key(schema, place, sentence);
    case Rule::not_allowed_value:
      return tell_value(place);
    case Rule::equal_items:
      return tell_equal_items(place, sentence);
    case Rule::schema_other:
      return place.node.complain(rule, {sentence, place.hint});
    default:
      return place.node.complain(rule, {place.hint});
  }
}

}  // namespace

struct Schema::State {
  Json json;
  valijson::Schema compiled;
  valijson::Validator validator;

  explicit State(Json schema) : json(std::move(schema)) {
    valijson::SchemaParser().populateSchema(Adapter(json), compiled);
  }
};

Schema::Schema(std::string text, std::string file)
    : text_(std::move(text)), file_(std::move(file)), digest_(sha256(text_)) {}

Schema::~Schema() = default;

void Schema::check(const Document& document, std::set<std::string>& known_forms) {
  const std::string form = Hasher().field("schema", digest_).field("document", document.text).hex();
  if (known_forms.contains(form)) return;
  if (!state_) {
    Json schema = Json::parse(text_, nullptr, false);
    if (schema.is_discarded()) {
      throw Error(ExitCode::file_system, "can't read the schema of manifests", file_,
                  "the installation is damaged: install dsbuild again");
    }
    state_ = std::make_unique<State>(std::move(schema));
  }
  valijson::ValidationResults results;
  if (state_->validator.validate(state_->compiled, Adapter(document.json), &results)) {
    known_forms.insert(form);
    return;
  }
  std::vector<std::string> of_wrong_type;  // an enum or pattern has nothing to add there
  const auto each = [&](auto&& use) {
    for (const valijson::ValidationResults::Error& error : results) {
      if (error.description.starts_with(kRepetition)) continue;
      const auto row = std::find_if(kKinds.begin(), kKinds.end(), [&](const KindRow& candidate) {
        return error.description.starts_with(candidate.sentence);
      });
      use(find_place(document, state_->json, error.context),
          row == kKinds.end() ? Rule::schema_other : row->rule, error.description);
    }
  };
  each([&](const Place& place, Rule rule, const std::string&) {
    if (rule == Rule::wrong_type) of_wrong_type.push_back(place.node.pointer());
  });
  each([&](const Place& place, Rule rule, const std::string& sentence) {
    const bool known = std::find(of_wrong_type.begin(), of_wrong_type.end(),
                                 place.node.pointer()) != of_wrong_type.end();
    if (rule == Rule::wrong_type || !known) tell(state_->json, place, rule, sentence);
  });
}

}  // namespace dsbuild::manifest
