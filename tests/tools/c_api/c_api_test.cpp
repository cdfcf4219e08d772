#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <thread>
#include <utility>

#include "tests/support/epd_suite.h"
#include "tools/c_api/manyply.h"
#include "tools/text/json_text.h"

namespace manyply {
namespace {

class CApi : public ::testing::Test {
 protected:
  ~CApi() override { manyply_position_free(position_); }

  int open(const char* fen, const char* moves = nullptr, int chess960 = 0) {
    manyply_position_free(position_);
    return manyply_position_new(fen, moves, chess960, &position_, &error_);
  }
  std::string fen() const {
    char text[128];
    EXPECT_LT(manyply_position_fen(position_, text, sizeof text), sizeof text);
    return text;
  }
  static std::string text(manyply_count count) {
    char digits[40];
    manyply_count_text(count, digits, sizeof digits);
    return digits;
  }
  std::string perft(int depth, const manyply_options* options = nullptr) {
    manyply_count count{7, 7};
    const int status = manyply_perft(position_, depth, options, &count, &error_);
    EXPECT_EQ(status, error_.status);
    return status == MANYPLY_OK ? text(count) : "status " + std::to_string(status);
  }
  /// Returns all rows.
  std::vector<std::pair<std::string, std::string>> divide(int depth,
                                                          const manyply_options* options) {
    std::vector<manyply_row> rows(512);
    std::size_t size = 0;
    EXPECT_EQ(manyply_divide(position_, depth, options, rows.data(), rows.size(), &size, nullptr,
                             &error_),
              MANYPLY_OK);
    std::vector<std::pair<std::string, std::string>> texts;
    for (std::size_t i = 0; i < size; ++i)
      texts.emplace_back(rows[i].move.text, text(rows[i].count));
    return texts;
  }
  static manyply_options options() {
    manyply_options options;
    manyply_options_init(&options, sizeof options);
    return options;
  }

  /// Parses a JSON text of the library, and frees the text.
  static nlohmann::ordered_json taken(char* text) {
    nlohmann::ordered_json document = read_json(text != nullptr ? text : "");
    manyply_text_free(text);
    return document;
  }

  manyply_position* position_ = nullptr;
  manyply_error error_{};
};

TEST_F(CApi, SaysWhatItIs) {
  EXPECT_EQ(manyply_abi(), MANYPLY_ABI);
  EXPECT_TRUE(std::regex_match(manyply_version(), std::regex("[0-9]+\\.[0-9]+\\.[0-9]+")));
}

TEST_F(CApi, CountsTheSuites) {
  for (const SuiteCase& item : load_suites_within(2'000'000)) {
    ASSERT_EQ(open(item.record.fen.c_str()), MANYPLY_OK) << item.where << error_.message;
    EXPECT_EQ(perft(item.expected.depth.plies()), item.expected.nodes.to_string()) << item.where;
  }
}

TEST_F(CApi, PositionsPlayMoves) {
  ASSERT_EQ(open("startpos", " e2e4  e7e5\tg1f3 "), MANYPLY_OK);
  EXPECT_EQ(fen(), "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");
  EXPECT_EQ(manyply_position_white_to_move(position_), 0);
  EXPECT_EQ(manyply_position_play(position_, "b8c6", &error_), MANYPLY_OK);
  EXPECT_EQ(manyply_position_white_to_move(position_), 1);
  EXPECT_EQ(manyply_position_play(position_, "b8c6", &error_), MANYPLY_ILLEGAL);
  EXPECT_EQ(manyply_position_white_to_move(position_), 1);
  EXPECT_EQ(manyply_position_in_check(position_), 0);
  EXPECT_EQ(open("4k3/8/8/8/8/8/8/4K2r w - - 0 1"), MANYPLY_OK);
  EXPECT_EQ(manyply_position_in_check(position_), 1);
}

TEST_F(CApi, ErrorsTellFieldAndColumn) {
  EXPECT_EQ(open("4k3/8/8/8/8/8/8/R3K3 w K - 0 1"), MANYPLY_INVALID_INPUT);
  EXPECT_EQ(position_, nullptr);
  EXPECT_STREQ(error_.field, "castling");
  EXPECT_STREQ(error_.message, "no rook on h1");
  EXPECT_EQ(error_.column, 24);
  EXPECT_EQ(open("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1"), MANYPLY_ILLEGAL) << "Black is in check";
  EXPECT_EQ(open("startpos", "e2e4 e2e4"), MANYPLY_ILLEGAL);
  EXPECT_STREQ(error_.field, "moves");
  EXPECT_EQ(error_.column, 6);
  EXPECT_EQ(open(std::string(5000, 'x').c_str()), MANYPLY_INVALID_INPUT);
  EXPECT_EQ(manyply_position_new("nonsense", nullptr, 0, &position_, nullptr),
            MANYPLY_INVALID_INPUT);
}

TEST_F(CApi, NothingIsWrittenBeyondABuffer) {
  ASSERT_EQ(open("startpos"), MANYPLY_OK);
  char text[8] = "1234567";
  EXPECT_EQ(manyply_position_fen(position_, text, 4), 56u);
  EXPECT_EQ(std::string(text, 8), std::string("rnb\0"
                                              "567\0",
                                              8));
  EXPECT_EQ(manyply_position_fen(position_, nullptr, 0), 56u);
  manyply_move moves[21] = {};
  EXPECT_EQ(manyply_position_moves(position_, moves, 2), 20u);
  EXPECT_STRNE(moves[1].text, "");
  EXPECT_STREQ(moves[2].text, "");
  EXPECT_EQ(manyply_position_moves(position_, nullptr, 0), 20u);

  manyply_row rows[20] = {};
  std::size_t size = 99;
  manyply_count total{};
  EXPECT_EQ(manyply_divide(position_, 2, nullptr, rows, 19, &size, &total, &error_),
            MANYPLY_TOO_SMALL);
  EXPECT_EQ(size, 20u);
  EXPECT_EQ(manyply_divide(position_, 2, nullptr, rows, 20, &size, &total, &error_), MANYPLY_OK);
  EXPECT_EQ(size, 20u);
  EXPECT_EQ(total.low, 400u);
  manyply_position_moves(position_, moves, 20);
  for (std::size_t i = 0; i < size; ++i) {
    EXPECT_STREQ(rows[i].move.text, moves[i].text);
    EXPECT_EQ(rows[i].count.low, 20u);
  }
}

TEST_F(CApi, MovesAndRowsAreSortedByTheirTexts) {
  ASSERT_EQ(open("kiwipete"), MANYPLY_OK);
  manyply_move moves[512] = {};
  const std::size_t count = manyply_position_moves(position_, moves, 512);
  ASSERT_EQ(count, 48u);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) texts.emplace_back(moves[i].text);
  EXPECT_TRUE(std::ranges::is_sorted(texts));
  EXPECT_EQ(texts.front(), "a1b1");
  manyply_move first[2] = {};
  EXPECT_EQ(manyply_position_moves(position_, first, 2), 48u);
  EXPECT_STREQ(first[1].text, "a1c1");

  const auto rows = divide(3, nullptr);
  ASSERT_EQ(rows.size(), 48u);
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(rows[i].first, texts[i]);
  EXPECT_EQ(rows.front().second, "1969");
}

TEST_F(CApi, ForcedChess960WritesKingTakesRook) {
  const auto castles = [&](const char* text) {
    std::vector<manyply_move> moves(512);
    moves.resize(manyply_position_moves(position_, moves.data(), moves.size()));
    return std::ranges::any_of(
        moves, [&](const manyply_move& move) { return std::string(move.text) == text; });
  };
  ASSERT_EQ(open("4k3/8/8/8/8/8/8/4K2R w K - 0 1"), MANYPLY_OK);
  EXPECT_TRUE(castles("e1g1"));
  ASSERT_EQ(open("4k3/8/8/8/8/8/8/4K2R w K - 0 1", nullptr, 1), MANYPLY_OK);
  EXPECT_TRUE(castles("e1h1"));
}

TEST_F(CApi, TotalsTakeTwoWords) {
  EXPECT_EQ(text({0, 0}), "0");
  EXPECT_EQ(text({3, 6547190948110871637u}), "61887423169239526485");
}

TEST_F(CApi, OptionsAreCheckedAndObeyed) {
  ASSERT_EQ(open("startpos"), MANYPLY_OK);
  manyply_options o = options();
  o.threads = 3;
  for (const std::uint64_t hash : {std::uint64_t{MANYPLY_HASH_OFF}, std::uint64_t{1} << 20}) {
    o.hash_bytes = hash;
    EXPECT_EQ(perft(5, &o), "4865609");
  }
  o.hash_bytes = 5;
  EXPECT_EQ(perft(5, &o), "status 1");
  EXPECT_STREQ(error_.field, "hash_bytes");
  o.hash_bytes = std::uint64_t{1} << 60;
  EXPECT_NE(perft(6, &o), "119060324");
  EXPECT_STREQ(error_.field, "hash_bytes");
  o = options();
  o.threads = -1;
  EXPECT_EQ(perft(5, &o), "status 1");
  EXPECT_EQ(perft(65), "status 1");
  EXPECT_EQ(perft(-1), "status 1");
  EXPECT_EQ(perft(0), "1");
  EXPECT_EQ(perft(64), "status 1") << "beyond 2^128, which an estimate shows at once";
  EXPECT_STREQ(error_.field, "depth");
}

TEST_F(CApi, EveryMethodCountsTheSame) {
  ASSERT_EQ(open("kiwipete"), MANYPLY_OK);
  manyply_options o = options();
  for (const std::uint32_t method : std::to_array<std::uint32_t>(
           {MANYPLY_METHOD_AUTO, MANYPLY_METHOD_HASHED, MANYPLY_METHOD_CONFIGURATIONS})) {
    o.method = method;
    for (const std::uint64_t hash :
         {MANYPLY_HASH_AUTO, std::uint64_t{MANYPLY_HASH_OFF}, std::uint64_t{1} << 20}) {
      o.hash_bytes = hash;
      EXPECT_EQ(perft(2, &o), "2039") << method << ' ' << hash;
      if (method == MANYPLY_METHOD_CONFIGURATIONS && hash == std::uint64_t{1} << 20) {
        // If the caller names a method, perft() uses this method (if necessary, in parts) or
        // refuses.
        const bool counted = perft(5, &o) == "193690690";
        EXPECT_STREQ(error_.field, counted ? "" : "method");
        continue;
      }
      EXPECT_EQ(perft(5, &o), "193690690") << method << ' ' << hash;
      EXPECT_EQ(divide(5, &o), divide(5, nullptr)) << method << ' ' << hash;
    }
  }
  o.method = 3;
  EXPECT_EQ(perft(5, &o), "status 1");
  EXPECT_STREQ(error_.field, "method");
}

TEST_F(CApi, AnOlderCallersShorterOptionsWork) {
  ASSERT_EQ(open("startpos"), MANYPLY_OK);
  alignas(manyply_options) unsigned char bytes[offsetof(manyply_options, hash_bytes)];
  auto* old = reinterpret_cast<manyply_options*>(bytes);
  manyply_options_init(old, sizeof bytes);
  const manyply_options whole = [&] {
    manyply_options copy{};
    std::memcpy(&copy, bytes, sizeof bytes);
    return copy;
  }();
  EXPECT_EQ(whole.size, sizeof bytes);
  EXPECT_EQ(perft(3, old), "8902");
}

TEST_F(CApi, ProgressIsToldAndMayCancel) {
  ASSERT_EQ(open("startpos"), MANYPLY_OK);
  struct Seen {
    int calls = 0;
    std::thread::id thread;
    std::uint64_t visited = 0;
  } seen;
  manyply_options o = options();
  o.progress_seconds = 0.005;
  o.user = &seen;
  o.progress = [](const manyply_progress* progress, void* user) {
    auto& seen = *static_cast<Seen*>(user);
    EXPECT_EQ(progress->size, sizeof(manyply_progress));
    EXPECT_GE(progress->visited, seen.visited);
    seen.visited = progress->visited;
    seen.thread = std::this_thread::get_id();
    return ++seen.calls == 3 ? 1 : 0;
  };
  EXPECT_EQ(perft(13, &o), "status 4");
  EXPECT_EQ(seen.calls, 3);
  EXPECT_EQ(seen.thread, std::this_thread::get_id());
  EXPECT_EQ(perft(3, &o), "8902");
}

TEST_F(CApi, AnotherThreadMayCancel) {
  ASSERT_EQ(open("startpos"), MANYPLY_OK);
  manyply_cancel* cancel = manyply_cancel_new();
  manyply_options o = options();
  o.cancel = cancel;
  EXPECT_EQ(perft(3, &o), "8902");
  {
    const std::jthread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      manyply_cancel_request(cancel);
    });
    EXPECT_EQ(perft(13, &o), "status 4");
  }
  EXPECT_EQ(perft(13, &o), "status 4") << "a request stays made";
  manyply_cancel_free(cancel);
}

TEST_F(CApi, WhatOlderProgramsWereCompiledWithStaysWhereItWas) {
  EXPECT_EQ(sizeof(manyply_error), 256u);
  EXPECT_EQ(sizeof(manyply_row), 24u);
  EXPECT_EQ(offsetof(manyply_options, threads), 8u);
  EXPECT_EQ(offsetof(manyply_options, method), 12u);
  EXPECT_EQ(offsetof(manyply_options, hash_bytes), 16u);
  EXPECT_EQ(offsetof(manyply_options, key_seed), 24u);
  EXPECT_EQ(offsetof(manyply_options, cancel), 32u);
  EXPECT_EQ(offsetof(manyply_options, progress), 40u);
  EXPECT_EQ(offsetof(manyply_options, user), 48u);
  EXPECT_EQ(offsetof(manyply_options, progress_seconds), 56u);
  EXPECT_EQ(offsetof(manyply_progress, leaves), 8u);
  EXPECT_EQ(offsetof(manyply_progress, units_total), 32u);
}

TEST_F(CApi, ACopyGoesItsOwnWay) {
  ASSERT_EQ(open("startpos"), MANYPLY_OK);
  const std::string before = fen();
  manyply_position* copy = nullptr;
  ASSERT_EQ(manyply_position_copy(position_, &copy, &error_), MANYPLY_OK);
  ASSERT_EQ(manyply_position_play(copy, "e2e4", &error_), MANYPLY_OK);
  EXPECT_EQ(fen(), before);
  EXPECT_EQ(manyply_position_white_to_move(copy), 0);
  manyply_position_free(copy);
}

TEST_F(CApi, SanGoesBothWays) {
  const auto san = [&](const char* move) {
    char text[16];
    EXPECT_EQ(manyply_position_to_san(position_, move, text, sizeof text, &error_), MANYPLY_OK)
        << error_.message;
    return std::string(text);
  };
  ASSERT_EQ(open("6k1/P4ppp/8/8/8/8/8/R3K2R w KQ - 0 1"), MANYPLY_OK);
  EXPECT_EQ(san("a7a8q"), "a8=Q#");
  EXPECT_EQ(san("e1c1"), "O-O-O");
  EXPECT_EQ(san("a1b1"), "Rb1");
  char small[5] = "....";
  EXPECT_EQ(manyply_position_to_san(position_, "a7a8q", small, sizeof small, &error_),
            MANYPLY_TOO_SMALL);
  EXPECT_EQ(manyply_position_to_san(position_, "a7a6", small, sizeof small, &error_),
            MANYPLY_ILLEGAL);
  manyply_move move{};
  EXPECT_EQ(manyply_position_from_san(position_, "a8(N)", &move, &error_), MANYPLY_OK);
  EXPECT_STREQ(move.text, "a7a8n");
  EXPECT_EQ(manyply_position_from_san(position_, "Nf3", &move, &error_), MANYPLY_ILLEGAL);
  EXPECT_STREQ(move.text, "");
  for (const char* fen : {"kiwipete", "position4",
                          "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/"
                          "BQ1BNRKR w HFhf - 2 9"}) {
    ASSERT_EQ(open(fen), MANYPLY_OK);
    std::vector<manyply_move> moves(512);
    moves.resize(manyply_position_moves(position_, moves.data(), moves.size()));
    std::set<std::string> written;
    for (const manyply_move& each : moves) {
      const std::string text = san(each.text);
      EXPECT_TRUE(written.insert(text).second) << text;
      EXPECT_EQ(manyply_position_from_san(position_, text.c_str(), &move, &error_), MANYPLY_OK);
      EXPECT_STREQ(move.text, each.text);
    }
  }
}

TEST_F(CApi, EveryKernelThatIsNamedCounts) {
  ASSERT_EQ(open("kiwipete"), MANYPLY_OK);
  const char* names[64] = {};
  const std::size_t count = manyply_kernels(names, std::size(names));
  ASSERT_GE(count, 1u);
  ASSERT_LE(count, std::size(names));
  EXPECT_EQ(manyply_kernels(nullptr, 0), count);
  manyply_options o = options();
  o.hash_bytes = MANYPLY_HASH_OFF;
  for (std::size_t i = 0; i < count; ++i) {
    o.kernel = names[i];
    EXPECT_EQ(perft(4, &o), "4085603") << names[i];
  }
  EXPECT_STREQ(names[count - 1], "portable");
  o.kernel = "abacus";
  EXPECT_EQ(perft(4, &o), "status 1");
  EXPECT_STREQ(error_.field, "kernel");
}

TEST_F(CApi, StatisticsAreThePublishedOnes) {
  ASSERT_EQ(open("kiwipete"), MANYPLY_OK);
  manyply_statistics found{};
  EXPECT_EQ(manyply_stats(position_, 4, nullptr, &found, &error_), MANYPLY_INVALID_INPUT)
      << "without its size";
  found.size = sizeof found;
  ASSERT_EQ(manyply_stats(position_, 4, nullptr, &found, &error_), MANYPLY_OK) << error_.message;
  EXPECT_EQ(text(found.nodes), "4085603");
  EXPECT_EQ(text(found.captures), "757163");
  EXPECT_EQ(text(found.en_passants), "1929");
  EXPECT_EQ(text(found.castles), "128013");
  EXPECT_EQ(text(found.promotions), "15172");
  EXPECT_EQ(found.checks.low + found.mates.low, 25523u);
  EXPECT_EQ(found.mates.low, 43u);
  EXPECT_EQ(found.direct_checks.low + found.discovered_checks.low +
                found.direct_discovered_checks.low + found.double_discovered_checks.low,
            found.checks.low);
  EXPECT_EQ(found.direct_mates.low + found.discovered_mates.low +
                found.direct_discovered_mates.low + found.double_discovered_mates.low,
            found.mates.low);
  // An older caller, whose structure has fewer members.
  manyply_statistics old{};
  old.size = offsetof(manyply_statistics, en_passants);
  old.castles = {7, 7};
  ASSERT_EQ(manyply_stats(position_, 2, nullptr, &old, &error_), MANYPLY_OK);
  EXPECT_EQ(text(old.captures), "351");
  EXPECT_EQ(old.castles.high, 7u);
  EXPECT_EQ(old.size, offsetof(manyply_statistics, en_passants));
}

TEST_F(CApi, DistinctPositionsOfEachPly) {
  ASSERT_EQ(open("startpos"), MANYPLY_OK);
  manyply_ply plies[6] = {};
  EXPECT_EQ(manyply_unique(position_, 5, nullptr, plies, 5, &error_), MANYPLY_TOO_SMALL);
  ASSERT_EQ(manyply_unique(position_, 5, nullptr, plies, 6, &error_), MANYPLY_OK) << error_.message;
  std::vector<std::uint64_t> distinct;
  for (const manyply_ply& ply : plies) distinct.push_back(ply.distinct);
  EXPECT_THAT(distinct, ::testing::ElementsAre(1, 20, 400, 5362, 72078, 822518));
  EXPECT_EQ(text(plies[5].paths), "4865609");
  manyply_options o = options();
  o.hash_bytes = 2 << 20;  // too little for ply 4, so its positions are found in several passes
  EXPECT_EQ(manyply_unique(position_, 4, &o, plies, 6, &error_), MANYPLY_OK) << error_.message;
  EXPECT_EQ(plies[4].distinct, 72078u);
}

TEST_F(CApi, EstimatesHaveAnInterval) {
  ASSERT_EQ(open("startpos"), MANYPLY_OK);
  manyply_interval found{};
  found.size = sizeof found;
  manyply_options o = options();
  o.samples = 2000;
  ASSERT_EQ(manyply_estimate(position_, 6, &o, &found, &error_), MANYPLY_OK) << error_.message;
  EXPECT_LT(found.low, 119060324);
  EXPECT_GT(found.high, 119060324);
  EXPECT_EQ(found.samples, 2000u);
  EXPECT_EQ(found.exact, 0);
  manyply_interval other = found;
  o.sample_seed = 2;
  ASSERT_EQ(manyply_estimate(position_, 6, &o, &other, &error_), MANYPLY_OK);
  EXPECT_NE(other.estimate, found.estimate);
  ASSERT_EQ(manyply_estimate(position_, 4, &o, &found, &error_), MANYPLY_OK);
  EXPECT_EQ(found.estimate, 197281);
  EXPECT_NE(found.exact, 0);
  o.samples = 5;
  EXPECT_EQ(manyply_estimate(position_, 6, &o, &found, &error_), MANYPLY_INVALID_INPUT);
  EXPECT_STREQ(error_.field, "samples");
}

TEST_F(CApi, VerifiesByCountingTwice) {
  ASSERT_EQ(open("kiwipete"), MANYPLY_OK);
  int agrees = 0;
  manyply_count count{};
  manyply_options o = options();
  std::set<std::string> phases;
  o.progress_seconds = 0.001;
  o.user = &phases;
  o.progress = [](const manyply_progress* progress, void* user) {
    static_cast<std::set<std::string>*>(user)->insert(progress->phase);
    EXPECT_LE(progress->fraction, 1);
    return 0;
  };
  ASSERT_EQ(manyply_verify(position_, 5, &o, &agrees, &count, &error_), MANYPLY_OK)
      << error_.message;
  EXPECT_EQ(agrees, 1);
  EXPECT_EQ(text(count), "193690690");
  EXPECT_FALSE(phases.contains(""));
  o = options();
  o.hash_bytes = MANYPLY_HASH_OFF;
  EXPECT_EQ(manyply_verify(position_, 5, &o, &agrees, nullptr, &error_), MANYPLY_INVALID_INPUT);
  EXPECT_STREQ(error_.field, "hash_bytes");
}

TEST_F(CApi, EveryModeHasADocument) {
  ASSERT_EQ(open("startpos", "e2e4"), MANYPLY_OK);
  char* document = nullptr;
  const auto answer = [&](const char* mode, int depth) {
    EXPECT_EQ(manyply_answer(position_, mode, depth, nullptr, &document, &error_), MANYPLY_OK)
        << mode;
    return taken(document);
  };
  for (const char* mode : {"count", "hashed", "unhashed", "configurations"})
    EXPECT_EQ(answer(mode, 4).at("nodes"), "405385") << mode;
  EXPECT_EQ(answer("stats", 3).at("nodes"), "13160");
  EXPECT_EQ(answer("unique", 2).at("plies").at(1).at("distinct"), "20");
  EXPECT_EQ(answer("estimate", 5).at("samples"), 10000);
  EXPECT_EQ(answer("verify", 4).at("agrees"), true);
  EXPECT_EQ(manyply_answer(position_, "guess", 4, nullptr, &document, &error_),
            MANYPLY_INVALID_INPUT);
  EXPECT_EQ(document, nullptr);
  EXPECT_STREQ(error_.field, "mode");
}

TEST_F(CApi, ADivideOfAnotherProgramIsExplained) {
  ASSERT_EQ(open("4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1", "f3h1"), MANYPLY_OK);
  std::string theirs;
  for (const auto& [move, count] : divide(1, nullptr)) theirs += move + ": " + count + '\n';
  char* document = nullptr;
  ASSERT_EQ(manyply_diff(position_, 1, theirs.c_str(), nullptr, &document, &error_), MANYPLY_OK)
      << error_.message;
  EXPECT_EQ(taken(document).at("agrees"), true);
  theirs += "e1g1: 1\n";
  ASSERT_EQ(manyply_diff(position_, 1, theirs.c_str(), nullptr, &document, &error_), MANYPLY_OK);
  const nlohmann::ordered_json found = taken(document);
  EXPECT_EQ(found.at("agrees"), false);
  EXPECT_EQ(found.at("causes").at(0).at("name"), "castling-without-rook");
  EXPECT_EQ(manyply_diff(position_, 1, "no such thing", nullptr, &document, &error_),
            MANYPLY_INVALID_INPUT);
  EXPECT_EQ(document, nullptr);
  EXPECT_EQ(manyply_diff(position_, 0, theirs.c_str(), nullptr, &document, &error_),
            MANYPLY_INVALID_INPUT);
  EXPECT_STREQ(error_.field, "depth");
}

TEST_F(CApi, EveryQuestionCanBeCancelled) {
  ASSERT_EQ(open("startpos"), MANYPLY_OK);
  manyply_options o = options();
  o.cancel = manyply_cancel_new();
  manyply_cancel_request(o.cancel);
  char* document = nullptr;
  for (const char* mode :
       {"count", "hashed", "unhashed", "configurations", "verify", "stats", "estimate", "unique"}) {
    EXPECT_EQ(manyply_answer(position_, mode, 8, &o, &document, &error_), MANYPLY_CANCELLED)
        << mode;
    EXPECT_EQ(document, nullptr);
  }
  EXPECT_EQ(manyply_diff(position_, 8, "a2a3: 1\n", &o, &document, &error_), MANYPLY_CANCELLED);
  manyply_cancel_free(o.cancel);
}

TEST_F(CApi, NullIsRefusedNotFollowed) {
  manyply_count count{};
  EXPECT_EQ(manyply_perft(nullptr, 1, nullptr, &count, &error_), MANYPLY_INVALID_INPUT);
  EXPECT_STREQ(error_.field, "position");
  EXPECT_EQ(manyply_position_new(nullptr, nullptr, 0, &position_, &error_), MANYPLY_INVALID_INPUT);
  EXPECT_EQ(manyply_position_new("startpos", nullptr, 0, nullptr, &error_), MANYPLY_INVALID_INPUT);
  EXPECT_EQ(manyply_position_play(nullptr, "e2e4", nullptr), MANYPLY_INVALID_INPUT);
  EXPECT_EQ(manyply_position_moves(nullptr, nullptr, 0), 0u);
  manyply_position* copy = position_;
  EXPECT_EQ(manyply_position_copy(nullptr, &copy, nullptr), MANYPLY_INVALID_INPUT);
  EXPECT_EQ(manyply_position_to_san(nullptr, "e2e4", nullptr, 0, nullptr), MANYPLY_INVALID_INPUT);
  EXPECT_EQ(manyply_position_from_san(nullptr, "e4", nullptr, nullptr), MANYPLY_INVALID_INPUT);
  ASSERT_EQ(open("startpos"), MANYPLY_OK);
  EXPECT_EQ(manyply_stats(position_, 1, nullptr, nullptr, nullptr), MANYPLY_INVALID_INPUT);
  EXPECT_EQ(manyply_unique(position_, 1, nullptr, nullptr, 0, nullptr), MANYPLY_INVALID_INPUT);
  EXPECT_EQ(manyply_estimate(position_, 1, nullptr, nullptr, nullptr), MANYPLY_INVALID_INPUT);
  EXPECT_EQ(manyply_verify(position_, 1, nullptr, nullptr, nullptr, nullptr),
            MANYPLY_INVALID_INPUT);
  EXPECT_EQ(manyply_answer(position_, "count", 1, nullptr, nullptr, nullptr),
            MANYPLY_INVALID_INPUT);
  char* document = nullptr;
  EXPECT_EQ(manyply_answer(position_, nullptr, 1, nullptr, &document, nullptr),
            MANYPLY_INVALID_INPUT);
  EXPECT_EQ(manyply_diff(position_, 1, nullptr, nullptr, &document, nullptr),
            MANYPLY_INVALID_INPUT);
  manyply_text_free(nullptr);
  manyply_position_free(nullptr);
  manyply_cancel_free(nullptr);
  manyply_cancel_request(nullptr);
}

}  // namespace
}  // namespace manyply
