// Keys that somebody has written down: lines `FEN ; KEY` and `FEN moves e2e4 ; KEY`.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tools/diagnose/keys/key_position.h"
#include "tools/diagnose/keys/key_source.h"

namespace manyply {

class PastedKeys : public KeySource {
 public:
  /// Lines without a key, empty ones and those that begin with # are passed over; an error, with
  /// the line's number, for what is not understood, for a position with two keys, and if nothing is
  /// left.
  static Result<std::unique_ptr<PastedKeys>> read(const std::string& name,
                                                  const std::vector<std::string>& lines);

  Result<Keys> keys(std::span<const KeyQuestion> questions) override;
  [[nodiscard]] int bits() const override { return bits_; }
  [[nodiscard]] bool answers_anything() const override { return false; }

  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  /// Those without moves.
  [[nodiscard]] const std::vector<KeyPosition>& positions() const { return positions_; }
  [[nodiscard]] const std::vector<KeyLine>& lines() const { return lines_; }

 private:
  std::map<std::string, ZobristKey> keys_;  // by question
  std::vector<KeyPosition> positions_;
  std::vector<KeyLine> lines_;
  int bits_ = 64;
};

}  // namespace manyply
