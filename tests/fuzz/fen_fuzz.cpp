// Reads any text as a position. The text must give a useful error, or a position that is the same
// after writing and reading it. The oracle must read the same position.

#include "core/fen.h"
#include "tests/fuzz/expect.h"
#include "tests/support/oracle.h"

using namespace manyply;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<NamedPosition> parsed = parse_position(text);
  if (!parsed) {
    expect_useful(parsed.error(), text);
    return 0;
  }
  const Position& position = parsed->position;
  for (const auto notation : {CastlingNotation::kStandard, CastlingNotation::kChess960}) {
    const std::string fen = to_fen(position, notation);
    const Result<NamedPosition> again = parse_position(fen);
    expect(again.ok(), "what was written is read", fen);
    expect(again->position == position, "as the same position", fen);
    expect(to_fen(again->position, notation) == fen, "and written alike", fen);
    const oracle::Position theirs =
        oracle::parse(fen, again->notation == CastlingNotation::kChess960);
    expect(to_fen(position, again->notation) == oracle::identity(theirs) + " 0 1",
           "the oracle reads it alike", fen);
    expect(position.in_check() == oracle::in_check(theirs), "the oracle sees the same check", fen);
  }
  return 0;
}
