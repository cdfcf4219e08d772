#include "tools/cli/verify_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/cli/hash_format.h"
#include "tools/cli/report_format.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

std::string hex(const ZobristKey& key) {
  return fmt::format("0x{:016x}{:016x}", key.high, key.low);
}

/// Writes a report as text and JSON; positions and moves as the root's notation has them.
class Formatter {
 public:
  Formatter(const VerifyReport& report, const Root& root, Depth depth)
      : report_(report), root_(root), notation_(root.named.notation), depth_(depth) {}

  [[nodiscard]] std::string text() const {
    std::string text = line("position", fen(root_.named.position));
    text += line("depth", std::to_string(depth_.plies()));
    for (const VerifiedRun& run : report_.runs)
      text += line(&run == &report_.runs.front() ? "hashed" : "reseeded", hashed_text(run.report));
    text += line("keys", keys_text()) + line("unhashed", recount_text());
    text += line("known", known_text(report_.runs.front().report));
    for (const VerifiedRun& run : report_.runs) {
      if (run.explanation) text += difference_text(run);
    }
    if (!report_.agrees()) return text + "\n" + line("verdict", "DO NOT AGREE");
    return text + line("verdict", sampled() ? "agree, as far as recounted" : "agree");
  }

  [[nodiscard]] Json json() const {
    const Recount& recount = report_.recount;
    Json runs = Json::array();
    for (const VerifiedRun& run : report_.runs) runs.push_back(run_json(run));
    return {
        {"fen", fen(root_.named.position)},
        {"depth", depth_.plies()},
        {"agrees", report_.agrees()},
        {"subtrees", report_.subtrees},
        {"hashed", std::move(runs)},
        {"key_check", {{"keys", report_.key_check.keys}, {"subtrees", report_.key_check.subtrees}}},
        {"unhashed",
         {{"nodes", recount.nodes.to_string()},
          {"subtrees", recount.subtrees},
          {"visited", recount.visited},
          {"seconds", recount.seconds}}}};
  }

 private:
  static std::string line(std::string_view name, std::string_view value) {
    return fmt::format("{:<10} {}\n", name, value);
  }
  static std::string more(std::string_view value) { return line("", value); }
  [[nodiscard]] std::string fen(const Position& position) const {
    return to_fen(position, notation_);
  }
  [[nodiscard]] std::string uci(Move move) const { return to_uci(move, notation_); }

  static std::string hashed_text(const Report& report) {
    std::string text = fmt::format("{} in {:.3f} s", report.nodes.to_string(), report.seconds);
    if (!report.hash) return text + ", without a table: too shallow for one";
    const HashReport& hash = *report.hash;
    return text + fmt::format(" with {}; key seed {}, {} bits; {:.2g} false matches expected",
                              format_bytes(hash.bytes), hash.keys.seed, hash.keys.bits,
                              hash.expected_false_matches);
  }

  [[nodiscard]] bool sampled() const { return report_.recount.subtrees < report_.subtrees; }

  [[nodiscard]] std::string keys_text() const {
    if (!report_.runs.front().report.hash) return "none without a table";
    return fmt::format("{} incremental keys compared with keys from scratch, in {} of {} subtrees",
                       report_.key_check.keys, report_.key_check.subtrees, report_.subtrees);
  }

  [[nodiscard]] std::string recount_text() const {
    const Recount& recount = report_.recount;
    if (!sampled())
      return fmt::format("{} in {:.3f} s, all {} subtrees", recount.nodes.to_string(),
                         recount.seconds, report_.subtrees);
    return fmt::format("{} in {:.3f} s, below {} of {} subtrees", recount.nodes.to_string(),
                       recount.seconds, recount.subtrees, report_.subtrees);
  }

  [[nodiscard]] std::string difference_text(const VerifiedRun& run) const {
    std::string text = "\n";
    if (report_.runs.size() > 1)
      text += line("run", &run == &report_.runs.front() ? "hashed" : "reseeded");
    for (const RootMoveDifference& row : run.root_moves) {
      text += line("differs", fmt::format("{}: {} hashed, {} unhashed", uci(row.move),
                                          row.hashed.to_string(), row.recounted.to_string()));
    }
    if (!run.subtrees.empty()) {
      const SubtreeDifference& least = run.subtrees.front();
      text += line("subtrees", fmt::format("{} with different counts; the smallest, {} plies "
                                           "deep: {} hashed, {} unhashed",
                                           run.differing_subtrees, least.depth.plies(),
                                           least.hashed.to_string(), least.recounted.to_string()));
      text += more(fen(least.position));
    }
    return text + cause_text(run);
  }

  [[nodiscard]] std::string cause_text(const VerifiedRun& run) const {
    const Explanation& explanation = *run.explanation;
    const AuditFindings& findings = explanation.findings;
    std::string text;
    if (findings.key_fault) {
      const KeyFault& fault = *findings.key_fault;
      text += line("cause", "an incremental key is not the key from scratch");
      text += more(fen(fault.position) + "  after " + uci(fault.move));
      text += more(hex(fault.incremental) + " incremental");
      text += more(hex(fault.from_scratch) + " from scratch");
    } else if (findings.kernel_fault) {
      text += line("cause", "two kernels disagree") + kernel_text(*findings.kernel_fault);
    } else if (findings.false_match) {
      text += line("cause", fmt::format("two different positions with one key of {} bits",
                                        run.report.hash->keys.bits));
      for (const CountedPosition& side : *findings.false_match) {
        text += more(fmt::format("{}  {} plies deep: {}", fen(side.position), side.depth.plies(),
                                 side.leaves.to_string()));
        text += more(hex(side.key));
      }
    } else if (findings.wrong_entry) {
      const WrongEntry& wrong = *findings.wrong_entry;
      text += line("cause", "a corrupted table entry");
      text += more(fmt::format("{}  {} plies deep: {} stored, {} recounted",
                               fen(wrong.recounted.position), wrong.recounted.depth.plies(),
                               wrong.stored.to_string(), wrong.recounted.leaves.to_string()));
      text += more(hex(wrong.recounted.key));
    } else {
      text += line("cause", "not found");
    }
    text += more(fmt::format("looked at {} positions and {} keys elsewhere{}",
                             explanation.recounted, explanation.keys,
                             explanation.complete ? "" : "; a limit ended the search early"));
    return text;
  }

  [[nodiscard]] std::string kernel_text(const KernelFault& fault) const {
    std::string text = more(fen(fault.position));
    const bool same_moves = std::ranges::all_of(
        fault.opinions, [](const KernelFault::Opinion& opinion) { return opinion.moves.empty(); });
    for (const KernelFault::Opinion& opinion : fault.opinions) {
      std::string says = opinion.who + ": ";
      if (same_moves) {
        says +=
            fmt::format("{} paths of {} plies", opinion.leaves.to_string(), fault.depth.plies());
      } else if (opinion.after) {
        says += uci(opinion.moves.front()) + " leads to " + fen(*opinion.after);
      } else {
        says += opinion.moves.empty() ? "no move that the other has not" : "alone has";
        for (const Move move : opinion.moves) says += ' ' + uci(move);
      }
      text += more(says);
    }
    return text;
  }

  [[nodiscard]] Json run_json(const VerifiedRun& run) const {
    const Report& report = run.report;
    Json json{{"nodes", report.nodes.to_string()},
              {"known", to_string(report.known)},
              {"seconds", report.seconds},
              {"setup_seconds", report.setup_seconds}};
    add_hash_json(report, json);
    json["differing_subtrees"] = run.differing_subtrees;
    json["subtrees"] = Json::array();
    for (const SubtreeDifference& subtree : run.subtrees) {
      json["subtrees"].push_back({{"fen", fen(subtree.position)},
                                  {"depth", subtree.depth.plies()},
                                  {"hashed", subtree.hashed.to_string()},
                                  {"unhashed", subtree.recounted.to_string()}});
    }
    json["root_moves"] = Json::array();
    for (const RootMoveDifference& row : run.root_moves) {
      json["root_moves"].push_back({{"move", uci(row.move)},
                                    {"hashed", row.hashed.to_string()},
                                    {"unhashed", row.recounted.to_string()}});
    }
    json["cause"] = run.explanation ? cause_json(*run.explanation) : Json(nullptr);
    return json;
  }

  [[nodiscard]] Json cause_json(const Explanation& explanation) const {
    const AuditFindings& findings = explanation.findings;
    Json json;
    if (findings.key_fault) {
      const KeyFault& fault = *findings.key_fault;
      json = {{"kind", "key"},
              {"fen", fen(fault.position)},
              {"move", uci(fault.move)},
              {"incremental", hex(fault.incremental)},
              {"from_scratch", hex(fault.from_scratch)}};
    } else if (findings.kernel_fault) {
      const KernelFault& fault = *findings.kernel_fault;
      json = {{"kind", "kernel"}, {"fen", fen(fault.position)}, {"depth", fault.depth.plies()}};
      for (const KernelFault::Opinion& opinion : fault.opinions) {
        Json moves = Json::array();
        for (const Move move : opinion.moves) moves.push_back(uci(move));
        json["opinions"].push_back(
            {{"who", opinion.who},
             {"moves", std::move(moves)},
             {"after", opinion.after ? Json(fen(*opinion.after)) : Json(nullptr)},
             {"nodes", opinion.leaves.to_string()}});
      }
    } else if (findings.false_match) {
      json = {{"kind", "false_match"}};
      for (const CountedPosition& side : *findings.false_match)
        json["positions"].push_back(counted_json(side));
    } else if (findings.wrong_entry) {
      json = {{"kind", "entry"}};
      json.update(counted_json(findings.wrong_entry->recounted));
      json["stored"] = findings.wrong_entry->stored.to_string();
    } else {
      json = {{"kind", "unknown"}};
    }
    json["searched_positions"] = explanation.recounted;
    json["searched_keys"] = explanation.keys;
    json["complete"] = explanation.complete;
    return json;
  }

  [[nodiscard]] Json counted_json(const CountedPosition& counted) const {
    return {{"fen", fen(counted.position)},
            {"depth", counted.depth.plies()},
            {"key", hex(counted.key)},
            {"nodes", counted.leaves.to_string()}};
  }

  const VerifyReport& report_;
  const Root& root_;
  const CastlingNotation notation_;
  const Depth depth_;
};

}  // namespace

std::string format_verify_report(const VerifyReport& report, const Root& root, Depth depth,
                                 Format format) {
  const Formatter formatter(report, root, depth);
  return format == Format::kJson ? formatter.json().dump() + '\n' : formatter.text();
}

}  // namespace manyply
