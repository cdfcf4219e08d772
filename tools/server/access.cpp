#include "tools/server/access.h"

#include <arpa/inet.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include "core/base/text.h"
#include "tools/cli/framework/shared_flags.h"
#include "tools/text/number_text.h"

namespace manyply {
namespace {

constexpr std::string_view kDigestPrefix = "sha256:";
constexpr std::array<std::pair<Role, std::string_view>, 4> kRoles{{{Role::kNone, "none"},
                                                                   {Role::kRead, "read"},
                                                                   {Role::kSubmit, "submit"},
                                                                   {Role::kAdmin, "admin"}}};

Error wrong(std::string why) { return {ErrorCode::kInvalidInput, "", 0, std::move(why)}; }

Error bad_file(const std::filesystem::path& file, const std::string& why) {
  return {ErrorCode::kInvalidInput, "token file", 0, file.string() + ": " + why};
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= AccessList::kMaxName &&
         std::ranges::all_of(text, [](char c) {
           return is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.';
         });
}

Result<Sha256> parse_digest(std::string_view text) {
  Sha256 digest{};
  if (text.size() != 2 * digest.size())
    return wrong("the digest after 'sha256:' must have " + std::to_string(2 * digest.size()) +
                 " hexadecimal digits");
  for (std::size_t i = 0; i < digest.size(); ++i) {
    const int high = hex_digit(text[2 * i]);
    const int low = hex_digit(text[2 * i + 1]);
    if (high < 0 || low < 0)
      return wrong("the digest after 'sha256:' must consist of hexadecimal digits");
    digest[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return digest;
}

/// Returns the SHA-256 digest of a token. Errors do not quote the token.
Result<Sha256> parse_token(std::string_view text) {
  if (text.starts_with(kDigestPrefix)) return parse_digest(text.substr(kDigestPrefix.size()));
  if (text.size() < AccessList::kMinToken) {
    return wrong("the token has fewer than " + std::to_string(AccessList::kMinToken) +
                 " characters; create one with 'openssl rand -hex 32'");
  }
  if (!std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; }))
    return wrong("the token may contain only visible ASCII characters");
  return sha256(text);
}

/// Reads "queued=N", "running=SECONDS" or "stored=SIZE" into `quota`.
std::optional<Error> read_quota(std::string_view word, Quota& quota) {
  const std::size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  const std::string value(equals == std::string_view::npos ? "" : word.substr(equals + 1));
  const auto bad = [&](const Error& error) { return wrong(quote(word) + ": " + error.message); };
  if (name == "queued") {
    const auto jobs = parse_number(value, 0, 1'000'000);
    if (!jobs) return bad(jobs.error());
    quota.queued = *jobs;
  } else if (name == "running") {
    // The largest quota: the running time of 64 jobs that run all day at the same time.
    constexpr std::uint64_t kDay = std::uint64_t{86'400} * 64;
    const auto seconds = parse_number(value, 0, kDay);
    if (!seconds) return bad(seconds.error());
    quota.running = std::chrono::seconds(*seconds);
  } else if (name == "stored") {
    const auto bytes = parse_table_size(value);
    if (!bytes) return bad(bytes.error());
    quota.stored_bytes = *bytes;
  } else if (name == "scratch") {
    return wrong(quote(word) + ": this quota was removed, because no job writes temporary files");
  } else {
    return wrong(quote(word) +
                 " is not a quota; expected queued=N, running=SECONDS or stored=SIZE");
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Role role) { return kRoles[static_cast<std::size_t>(role)].second; }

bool equal_in_constant_time(const Sha256& a, const Sha256& b) {
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned>(a[i] ^ b[i]);
  return difference == 0;
}

std::optional<Error> AccessList::add(std::string_view line) {
  const std::vector<TextSpan> words = words_in(TextSpan{line});
  if (words.size() < 3) return wrong("must contain a name, a role and a token");
  const std::string_view name = words[0].text;
  if (!is_name(name)) {
    return wrong(quote(name) + " is not a valid name; use at most " + std::to_string(kMaxName) +
                 " letters, digits, '-', '_' and '.'");
  }
  const std::string_view named = words[1].text;
  const auto role = std::ranges::find(kRoles, named, &std::pair<Role, std::string_view>::second);
  if (role == kRoles.end() || role->first == Role::kNone)
    return wrong(quote(named) + " is not a role; expected read, submit or admin");
  const auto digest = parse_token(words[2].text);
  if (!digest) return digest.error();
  Client client{.name = std::string(name), .role = role->first};
  for (std::size_t i = 3; i < words.size(); ++i) {
    if (auto error = read_quota(words[i].text, client.quota)) return error;
  }
  const auto name_of = [](const Entry& entry) -> const std::string& { return entry.client.name; };
  if (std::ranges::find(entries_, client.name, name_of) != entries_.end())
    return wrong(quote(client.name) + " is already the name of an earlier client");
  const auto same_token = std::ranges::find(entries_, *digest, &Entry::digest);
  if (same_token != entries_.end())
    return wrong("has the same token as " + quote(name_of(*same_token)) + " above");
  entries_.push_back({*digest, std::move(client)});
  return std::nullopt;
}

Result<AccessList> AccessList::parse(std::string_view text) {
  AccessList list;
  // Files of older versions contain only one token, without a name. This token may start with any
  // character, even with the '#' of a comment.
  std::string_view single = text;
  while (!single.empty() && (single.back() == '\n' || single.back() == '\r'))
    single.remove_suffix(1);
  if (single.find_first_of(kSpace) == std::string_view::npos) {
    const auto digest = parse_token(single);
    if (!digest) return digest.error();
    list.entries_.push_back({*digest, {.name = "", .role = Role::kAdmin}});
    return list;
  }
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::string_view line = cut_line(text);
    const std::size_t start = line.find_first_not_of(kSpace);
    if (start == std::string_view::npos || line[start] == '#') continue;
    if (const auto error = list.add(line))
      return wrong("line " + std::to_string(number) + ": " + error->message);
  }
  if (list.entries_.empty()) return wrong("contains no client");
  return list;
}

Result<AccessList> AccessList::read(const std::filesystem::path& file) {
  struct stat status{};
  if (stat(file.c_str(), &status) != 0)
    return bad_file(file, std::generic_category().message(errno));
  // Check the type before opening the file, because opening a FIFO waits for a writer.
  if (!S_ISREG(status.st_mode)) return bad_file(file, "is not a regular file");
  if ((status.st_mode & S_IRWXO) != 0)
    return bad_file(file, "other users have access to it; run chmod 600");
  std::ifstream in(file, std::ios::binary);
  if (!in) return bad_file(file, std::generic_category().message(errno));
  const std::string text(std::istreambuf_iterator<char>(in), {});
  if (in.bad()) return bad_file(file, "cannot be read");
  auto list = parse(text);
  if (!list) return bad_file(file, list.error().message);
  return list;
}

const Client* AccessList::find(std::string_view token) const {
  const Sha256 digest = sha256(token);
  const Client* found = nullptr;
  for (const Entry& entry : entries_) {
    if (equal_in_constant_time(entry.digest, digest)) found = &entry.client;
  }
  return found;
}

Quota AccessList::quota_of(std::string_view name) const {
  const auto entry = std::ranges::find(
      entries_, name, [](const Entry& e) -> std::string_view { return e.client.name; });
  return entry == entries_.end() ? Quota{} : entry->client.quota;
}

namespace {

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 && std::ranges::all_of(text, is_digit);
}

/// Returns the name in `host` without the port. Accepts the forms "host", "host:port", "[::1]" and
/// "[::1]:port"; returns nullopt for any other form.
std::optional<std::string> host_name(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view rest = host.substr(end + 1);
    if (!rest.empty() && (rest.front() != ':' || !is_port(rest.substr(1)))) return std::nullopt;
    return std::string(host.substr(1, end - 1));
  }
  const std::size_t colon = host.find(':');
  if (colon != std::string_view::npos && !is_port(host.substr(colon + 1))) return std::nullopt;
  std::string name = to_lower(host.substr(0, colon));
  if (name.empty()) return std::nullopt;
  return name;
}

/// Returns whether `name` is localhost or an IP address. A hostile DNS server cannot change which
/// machine such a name means.
bool names_a_machine_directly(const std::string& name) {
  std::array<unsigned char, 16> address{};
  return name == "localhost" || inet_pton(AF_INET, name.c_str(), address.data()) == 1 ||
         inet_pton(AF_INET6, name.c_str(), address.data()) == 1;
}

}  // namespace

std::variant<Client, HttpResponse> RequestGuard::admit(const HttpRequest& request,
                                                       Role needed) const {
  const auto host = request.header("Host");
  const auto name = host && request.header_count("Host") == 1 ? host_name(*host) : std::nullopt;
  if (!name)
    return problem(400,
                   "the request must have exactly one Host header, with a name or address and "
                   "optionally a port");
  if (!clients_ && !names_a_machine_directly(*name)) {
    return problem(421,
                   "without access control, this server accepts only localhost and IP addresses as "
                   "Host; start it with --token-file for other names");
  }

  if (const auto origin = request.header("Origin")) {
    const std::string from = to_lower(*origin);
    const std::string own = to_lower(*host);
    if (request.header_count("Origin") != 1 ||
        (from != "http://" + own && from != "https://" + own))
      return problem(403, "requests from pages of other sites are refused");
  } else if (const auto site = request.header("Sec-Fetch-Site");
             site && (*site == "cross-site" || *site == "same-site") &&
             request.header("Sec-Fetch-Mode") != "navigate") {
    return problem(403, "requests from pages of other sites are refused");
  }

  if (needed == Role::kNone) return Client{.anonymous = true};
  if (!clients_) return Client::anybody();
  return identify(request, needed);
}

std::variant<Client, HttpResponse> RequestGuard::identify(const HttpRequest& request,
                                                          Role needed) const {
  constexpr std::string_view kScheme = "bearer ";
  const std::string_view given = request.header("Authorization").value_or("");
  const bool bearer = to_lower(given.substr(0, kScheme.size())) == kScheme &&
                      request.header_count("Authorization") == 1;
  const auto list = clients_->now();
  const Client* const client = bearer ? list->find(given.substr(kScheme.size())) : nullptr;
  if (client == nullptr) {
    HttpResponse response =
        problem(401, bearer ? "this token is unknown to the server"
                            : "this server requires a token: send 'Authorization: Bearer TOKEN'");
    response.headers.emplace_back("WWW-Authenticate", "Bearer");
    return response;
  }
  if (client->role < needed) {
    return problem(403, "this request requires the role '" + std::string(to_string(needed)) +
                            "', but this token has the role '" +
                            std::string(to_string(client->role)) + "'");
  }
  return *client;
}

HttpResponse problem(const Refusal& refusal) {
  const auto later = [&](int status) {
    HttpResponse response = problem(status, refusal.error);
    response.headers.emplace_back("Retry-After", "5");
    return response;
  };
  switch (refusal.kind) {
    case Refusal::Kind::kInvalid:
      return problem(422, refusal.error);
    case Refusal::Kind::kConflict:
      return problem(409, refusal.error);
    case Refusal::Kind::kQueueFull:
      return later(429);
    case Refusal::Kind::kNoRoom:
      return problem(403, refusal.error);
    case Refusal::Kind::kClosing:
    case Refusal::Kind::kStorage:
      break;
  }
  return later(503);
}

}  // namespace manyply
