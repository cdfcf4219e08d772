// Checks responses against openapi.json.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/server/http/http_message.h"

namespace manyply {

/// What an OpenAPI 3.1 document says about requests and responses. Schemas are read as JSON Schema,
/// draft 7; the document uses only what draft 7 and 2020-12 have in common. Use it from one thread.
class ApiContract {
 public:
  explicit ApiContract(nlohmann::json document);
  ~ApiContract();
  ApiContract(const ApiContract&) = delete;
  ApiContract& operator=(const ApiContract&) = delete;

  [[nodiscard]] const nlohmann::json& document() const { return document_; }

  /// An operation of the document.
  struct Operation {
    std::string method;  ///< "GET"
    std::string path;    ///< "/v1/jobs/{id}"
    nlohmann::json body;
    [[nodiscard]] std::string name() const { return method + ' ' + path; }
  };
  [[nodiscard]] const std::vector<Operation>& operations() const { return operations_; }

  /// Returns the errors in `answer`, one per line: a status, header, content type or body that the
  /// document does not describe. Requests for undocumented paths or methods must be refused. An
  /// accepted request must be documented, too. Does not check files of the page.
  std::vector<std::string> problems(const HttpRequest& request, const HttpAnswer& answer);
  /// Returns the errors in the data of one event.
  std::vector<std::string> event_problems(std::string_view data);
  /// Returns where `value` contradicts `schema` (of the document); empty if nowhere.
  std::vector<std::string> schema_problems(const nlohmann::json& value,
                                           const nlohmann::json& schema);

  /// Returns `node`, or the node to which its "$ref" points.
  [[nodiscard]] const nlohmann::json& resolved(const nlohmann::json& node) const;

  /// Returns "GET /v1/jobs 200" for every kind of response so far.
  [[nodiscard]] const std::set<std::string>& seen_answers() const { return seen_answers_; }
  /// Returns "Job/state" for every member of the document's schemas that a body has had so far.
  [[nodiscard]] const std::set<std::string>& seen_members() const { return seen_members_; }
  /// Return everything that the document describes.
  [[nodiscard]] std::set<std::string> documented_answers() const;
  [[nodiscard]] std::set<std::string> documented_members() const;

 private:
  class Validators;
  using Headers = std::vector<std::pair<std::string, std::string>>;
  using Problems = std::vector<std::string>;

  /// `body` is null for a stream of events.
  void check_response(const Operation& operation, int status, const Headers& headers,
                      const std::string* body, Problems& problems);
  void check_body(const nlohmann::json& response, int status, const Headers& headers,
                  const std::string* body, Problems& problems);
  void check_request(const Operation& operation, const HttpRequest& request, const Target& target,
                     Problems& problems);
  void note_members(const nlohmann::json& value, const nlohmann::json& schema,
                    const std::string& name);

  const nlohmann::json document_;
  std::vector<Operation> operations_;
  std::unique_ptr<Validators> validators_;
  std::set<std::string> seen_answers_;
  std::set<std::string> seen_members_;
};

}  // namespace manyply
