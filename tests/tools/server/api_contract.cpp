#include "tests/tools/server/api_contract.h"

#include <algorithm>
#include <cmath>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "tools/server/access.h"
#include "tools/server/http/http_message.h"

namespace manyply {

using nlohmann::json;
using valijson::adapters::NlohmannJsonAdapter;

namespace {

constexpr std::string_view kSchemas = "#/components/schemas/";

/// Returns whether the pattern `path`, such as "/v1/jobs/{id}", matches these segments.
bool describes(std::string_view path, const std::vector<std::string>& segments) {
  for (const std::string& segment : segments) {
    if (!path.starts_with('/')) return false;
    path.remove_prefix(1);
    const std::string_view part = path.substr(0, path.find('/'));
    if (!part.starts_with('{') && part != segment) return false;
    path.remove_prefix(part.size());
  }
  return path.empty();
}

/// Converts the text of a parameter or header to a value of the type in its schema.
json value_of(const std::string& text, const json& schema) {
  const std::string type = schema.value("type", "string");
  if (type == "string") return text;
  // "007" is a number for a server, but not in JSON.
  std::size_t zeros = 0;
  while (zeros + 1 < text.size() && text[zeros] == '0') ++zeros;
  return json::parse(text.substr(zeros), nullptr, false);
}

/// 5.0 is an integer in JSON Schema, but not in valijson.
json with_integers(json value) {
  if (value.is_number_float() && value.get<double>() == std::floor(value.get<double>()) &&
      std::abs(value.get<double>()) < 1e15)
    return static_cast<std::int64_t>(value.get<double>());
  if (value.is_structured()) {
    for (json& part : value) part = with_integers(std::move(part));
  }
  return value;
}

}  // namespace

/// Schemas that have been parsed, by their text.
class ApiContract::Validators {
 public:
  const valijson::Schema& of(const json& schema, const json& components) {
    auto& slot = schemas_[schema.dump()];
    if (!slot) {
      slot = std::make_unique<valijson::Schema>();
      const json root{{"allOf", {schema}}, {"components", components}};
      valijson::SchemaParser(valijson::SchemaParser::kDraft7)
          .populateSchema(NlohmannJsonAdapter(root), *slot);
    }
    return *slot;
  }
  valijson::Validator validator;

 private:
  std::map<std::string, std::unique_ptr<valijson::Schema>> schemas_;
};

ApiContract::ApiContract(json document)
    : document_(std::move(document)), validators_(std::make_unique<Validators>()) {
  for (const auto& [path, item] : document_.at("paths").items()) {
    for (const auto& [method, body] : item.items()) {
      if (method == "parameters") continue;
      std::string upper = method;
      std::ranges::transform(upper, upper.begin(), [](char c) { return c & ~0x20; });
      operations_.push_back({upper, path, body});
    }
  }
}
ApiContract::~ApiContract() = default;

const json& ApiContract::resolved(const json& node) const {
  if (!node.is_object() || !node.contains("$ref")) return node;
  return resolved(document_.at(json::json_pointer(node["$ref"].get<std::string>().substr(1))));
}

std::vector<std::string> ApiContract::schema_problems(const json& value, const json& schema) {
  valijson::ValidationResults results;
  if (validators_->validator.validate(validators_->of(schema, document_.at("components")),
                                      NlohmannJsonAdapter(value), &results))
    return {};
  std::vector<std::string> problems;
  for (const auto& error : results) {
    std::string where;
    for (const std::string& part : error.context) where += part;
    problems.push_back(where + ": " + error.description);
  }
  return problems;
}

std::vector<std::string> ApiContract::problems(const HttpRequest& request,
                                               const HttpAnswer& answer) {
  const auto* response = std::get_if<HttpResponse>(&answer);
  const int status = response != nullptr ? response->status : 200;
  const auto& headers =
      std::visit([](const auto& any) -> const auto& { return any.headers; }, answer);
  const auto target = Target::parse(request.target);
  const std::string method = request.method == "HEAD" ? "GET" : request.method;

  const Operation* operation = nullptr;
  std::set<std::string> allowed;
  for (const Operation& each : operations_) {
    if (!target || !describes(each.path, target->segments)) continue;
    allowed.insert(each.method);
    if (each.method == "GET") allowed.insert("HEAD");
    if (each.method == method) operation = &each;
  }
  std::vector<std::string> problems;
  if (operation != nullptr) {
    check_response(*operation, status, headers, response != nullptr ? &response->body : nullptr,
                   problems);
    if (status < 300) check_request(*operation, request, *target, problems);
    for (std::string& problem : problems) {
      problem = operation->name() + " " + std::to_string(status) + ": " + problem;
    }
    return problems;
  }

  if (status < 400) {
    if (!target || target->segments[0] == "v1") problems.push_back("is not documented");
  } else {
    static const std::string kAnyProblem = R"({"$ref": "#/components/responses/Problem"})";
    check_body(json::parse(kAnyProblem), status, headers, &response->body, problems);
    const auto allow =
        std::ranges::find(headers, "Allow", &std::pair<std::string, std::string>::first);
    if (status == 405 && !allowed.empty()) {
      std::set<std::string> told;
      std::string text = allow == headers.end() ? "" : allow->second + ", ";
      for (std::size_t end = 0; (end = text.find(", ")) != std::string::npos;
           text.erase(0, end + 2))
        told.insert(text.substr(0, end));
      if (told != allowed) problems.push_back("allows other methods than the document");
    } else if (!allowed.empty() && status != 400 && status != 401 && status != 403 &&
               status != 421) {
      problems.push_back("is no answer to a method that is not documented");
    }
  }
  for (std::string& problem : problems)
    problem = request.method + ' ' + request.target + ' ' + std::to_string(status) + ": " + problem;
  return problems;
}

void ApiContract::check_response(const Operation& operation, int status, const Headers& headers,
                                 const std::string* body, std::vector<std::string>& problems) {
  const auto response = operation.body.at("responses").find(std::to_string(status));
  if (response == operation.body["responses"].end()) {
    problems.emplace_back("the status is not documented");
    return;
  }
  seen_answers_.insert(operation.name() + ' ' + std::to_string(status));
  check_body(*response, status, headers, body, problems);
}

void ApiContract::check_body(const json& reference, int status, const Headers& headers,
                             const std::string* body, std::vector<std::string>& problems) {
  const json& response = resolved(reference);
  const json documented = response.value("headers", json::object());
  std::string type;
  std::set<std::string> present;
  for (const auto& [name, value] : headers) {
    present.insert(name);
    if (name == "Content-Type") type = value.substr(0, value.find(';'));
    if (name == "Content-Type" || name == "Cache-Control" || name == "Allow" ||
        std::ranges::find(security_headers(), std::pair(name, value)) != security_headers().end())
      continue;
    if (!documented.contains(name)) {
      problems.push_back("the header " + name + " is not documented");
    } else if (const json& schema = resolved(documented[name])["schema"];
               !schema_problems(value_of(value, schema), schema).empty()) {
      problems.push_back("the header " + name + " is not as documented: " + value);
    }
  }
  for (const auto& [name, header] : documented.items()) {
    if (resolved(header).value("required", false) && !present.contains(name))
      problems.push_back("the header " + name + " is missing");
  }
  for (const auto& [name, value] : security_headers()) {
    if (!present.contains(name)) problems.push_back("the header " + name + " is missing");
  }

  if (body == nullptr) type = "text/event-stream";  // the transport sets it
  const json content = response.value("content", json::object());
  if (content.empty()) {
    if (body != nullptr && !body->empty()) problems.emplace_back("a body is not documented");
    return;
  }
  if (!content.contains(type)) {
    problems.push_back("the content type '" + type + "' is not documented");
    return;
  }
  if (body == nullptr || !type.ends_with("json")) return;
  const json value = json::parse(*body, nullptr, false);
  const json& schema = content[type]["schema"];
  if (value.is_discarded()) problems.emplace_back("the body is no JSON");
  std::ranges::copy(schema_problems(value, schema), std::back_inserter(problems));
  if (status >= 400 &&
      (value.value("status", 0) != status || value.value("title", "") != status_name(status)))
    problems.emplace_back("the problem tells of another status");
  if (problems.empty()) note_members(value, schema, "");
}

void ApiContract::check_request(const Operation& operation, const HttpRequest& request,
                                const Target& target, std::vector<std::string>& problems) {
  std::set<std::string> documented;
  for (const json& reference : operation.body.value("parameters", json::array())) {
    const json& parameter = resolved(reference);
    const std::string name = parameter["name"];
    const auto given = parameter["in"] == "header" ? request.header(name) : target.parameter(name);
    documented.insert(name);
    if (!given) continue;
    const json& schema = parameter["schema"];
    if (!schema_problems(value_of(std::string(*given), resolved(schema)), schema).empty())
      problems.push_back("takes for " + name + " what is not documented: " + std::string(*given));
  }
  for (const auto& [name, value] : target.parameters) {
    if (!documented.contains(name))
      problems.push_back("takes " + name + ", which is not documented");
  }
  if (!operation.body.contains("requestBody")) return;
  const json& content = operation.body["requestBody"]["content"];
  const auto kind = content.items().begin();  // the only one
  const bool is_json = kind.key() == "application/json";
  const json value =
      is_json ? with_integers(json::parse(request.body, nullptr, false)) : json(request.body);
  const json& schema = kind.value()["schema"];
  for (const std::string& problem : schema_problems(value, schema))
    problems.push_back("takes a body that is not documented: " + problem);
  note_members(value, schema, "");
}

std::vector<std::string> ApiContract::event_problems(std::string_view data) {
  const json value = json::parse(data, nullptr, false);
  if (!value.is_object()) return {"the data is no JSON object"};
  const char* const kind = value.contains("positions") ? "/v1/batches" : "/v1/jobs";
  const json& answer =
      document_["paths"][std::string(kind) + "/{id}/events"]["get"]["responses"]["200"];
  const json& schema = answer["content"]["text/event-stream"]["x-event-data"];
  std::vector<std::string> problems = schema_problems(value, schema);
  if (problems.empty()) note_members(value, schema, "");
  return problems;
}

// Members are noted under the component to which they belong, whatever path led there.

void ApiContract::note_members(const json& value, const json& schema, const std::string& name) {
  if (schema.contains("$ref")) {
    const std::string target = schema["$ref"];
    return note_members(value, resolved(schema), target.substr(kSchemas.size()));
  }
  for (const char* all : {"allOf", "anyOf"}) {
    for (const json& part : schema.value(all, json::array())) {
      if (part.contains("$ref") && schema_problems(value, part).empty())
        note_members(value, part, name);
    }
  }
  if (value.is_array() && schema.contains("items")) {
    for (const json& element : value) note_members(element, schema["items"], name);
  }
  if (!value.is_object() || !schema.contains("properties")) return;
  for (const auto& [member, its_schema] : schema["properties"].items()) {
    if (!value.contains(member)) continue;
    const std::string full = name + '/' + member;
    seen_members_.insert(full);
    note_members(value[member], its_schema, full);
  }
}

std::set<std::string> ApiContract::documented_members() const {
  std::set<std::string> names;
  const auto walk = [&](const auto& self, const json& schema, const std::string& name) -> void {
    if (schema.contains("items")) self(self, schema["items"], name);
    if (!schema.contains("properties")) return;
    for (const auto& [member, its_schema] : schema["properties"].items()) {
      if (!its_schema.is_object()) continue;  // false: the member must be absent
      names.insert(name + '/' + member);
      self(self, its_schema, name + '/' + member);
    }
  };
  for (const auto& [name, schema] : document_.at("components").at("schemas").items())
    walk(walk, schema, name);
  return names;
}

std::set<std::string> ApiContract::documented_answers() const {
  std::set<std::string> answers;
  for (const Operation& operation : operations_) {
    for (const auto& [status, response] : operation.body["responses"].items()) {
      if (status != "default") answers.insert(operation.name() + ' ' + status);
    }
  }
  return answers;
}

}  // namespace manyply
