#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hash/key_audit.h"
#include "tools/diagnose/keys/key_check.h"

namespace manyply {
namespace {

/// A fault that concerns several squares must show on at least this number of squares.
constexpr int kLeastSquares = 8;
/// Random numbers may cancel, too. A set of N numbers that cancel is a fault only if chance cannot
/// explain it: by chance, at most kByChance sets of N numbers would cancel on average.
constexpr double kByChance = 0.01;
constexpr std::size_t kMostNamed = 5;

std::string names_listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > kMostNamed ? fmt::format("{} and {} more", text, names.size() - kMostNamed)
                                   : text;
}

/// Groups of features with equal numbers. A finding already explains why the numbers of a group are
/// equal. Each group is a tree with one root.
class AlikeGroups {
 public:
  AlikeGroups() { std::iota(root_.begin(), root_.end(), std::size_t{0}); }
  std::size_t root(std::size_t feature) {
    while (root_[feature] != feature) feature = root_[feature] = root_[root_[feature]];
    return feature;
  }
  void join(std::size_t a, std::size_t b) { root_[root(a)] = root(b); }

 private:
  std::array<std::size_t, KeyFeature::kCount> root_{};
};

class NumberAuditor {
 public:
  NumberAuditor(KeyAnswers& answers, const KeyTable& table, bool sums)
      : answers_(answers), table_(table), sums_(sums) {}

  Result<NumberAudit> run() {
    look_at_side();
    look_at_rights();
    look_at_en_passant();
    collect_pieces();
    look_at_kinds();
    look_at_squares();
    look_at_zeros();
    const std::vector<std::pair<std::size_t, std::size_t>> equal = equal_pairs();
    if (table_.is_linear()) collect_numbers();
    look_at_equal(equal);
    if (table_.is_linear()) look_at_bits();
    if (table_.is_linear() && sums_) look_at_sums();
    if (error_) return *error_;
    return std::move(audit_);
  }

 private:
  /// The change of a key when a piece is added to the position. Two changes can be compared only if
  /// their positions are in the same group. Positions of a group have their kings on the same
  /// squares, and the same side to move.
  struct Shown {
    std::size_t group = 0;
    ZobristKey key;
  };

  std::optional<ZobristKey> key(const KeyPosition& position) const {
    return answers_.key(position.set_up());
  }

  // ------------------------------------------------------------ proof

  /// Asks twice for the keys of both positions. Returns whether the two keys are equal both times.
  /// If they are, adds the pair to the proof of `finding`.
  bool proves(const KeyPosition& first, const KeyPosition& second, KeyFinding& finding) {
    const std::vector<KeyQuestion> questions{first.set_up(), second.set_up()};
    if (!error_) error_ = answers_.ask(questions);
    if (error_) return false;
    const auto first_key = answers_.key(questions[0]);
    const auto second_key = answers_.key(questions[1]);
    if (!first_key || first_key != second_key) return false;
    const Result<Standing> stands = answers_.stands(questions);
    if (!stands) error_ = stands.error();
    if (!stands || *stands != Standing::kSame) return false;
    finding.proof.push_back({questions[0], questions[1], *first_key, *second_key});
    return true;
  }
  bool proves_apart(const std::vector<std::size_t>& features, KeyFinding& finding) {
    const auto pair = positions_apart(features);
    return pair && proves(pair->first, pair->second, finding);
  }
  void keep(KeyFinding finding) { audit_.findings.push_back(std::move(finding)); }
  void keep_if_proved(KeyFinding finding, const KeyPosition& first, const KeyPosition& second) {
    if (proves(first, second, finding)) keep(std::move(finding));
  }

  // ------------------------------------------------------------ side, rights, en passant

  void look_at_side() {
    std::vector<std::pair<KeyPosition, KeyPosition>> pairs;
    std::size_t different = 0;
    for (const KeyPosition& position : telling_) {
      if (position.position.side_to_move() != Color::kWhite || position.passed) continue;
      std::string fen = position.fen();
      fen.replace(fen.find(" w "), 3, " b ");
      const auto other = KeyPosition::parse(fen);
      if (!other) continue;
      const auto here = key(position);
      const auto there = key(*other);
      if (!here || !there) continue;
      different += *here != *there ? 1U : 0U;
      pairs.emplace_back(position, *other);
    }
    if (different > 0 || pairs.size() < 2) return;
    keep_if_proved(
        {.fault = KeyFlaw::kSideIgnored,
         .detail = fmt::format(
             "{} pairs of positions that differ only in the side to move have equal keys",
             pairs.size()),
         .cases = pairs.size()},
        pairs[0].first, pairs[0].second);
  }

  void look_at_rights() {
    std::array<std::optional<ZobristKey>, 16> keys{};
    std::array<std::optional<KeyPosition>, 16> positions{};
    for (const KeyPosition& position : telling_) {
      if (position.fen().find("r3k2r/8/8/8/8/8/8/R3K2R w") != 0) continue;
      const unsigned mask = *rights_of(position.position);
      keys.at(mask) = key(position);
      positions.at(mask) = position;
    }
    if (!std::ranges::all_of(keys, [](const auto& known) { return known.has_value(); })) return;
    const auto alike = [&](unsigned a, unsigned b) { return *keys.at(a) == *keys.at(b); };
    unsigned ignored = 0;
    for (unsigned i = 0; i < 4; ++i) {
      bool same = true;
      for (unsigned mask = 0; mask < 16; ++mask) same = same && alike(mask, mask ^ (1U << i));
      ignored |= same ? 1U << i : 0U;
    }
    if (table_.is_linear()) {
      audit_.four_rights = true;
      for (unsigned mask = 0; mask < 16; ++mask) {
        ZobristKey sum;
        for (unsigned i = 0; i < 4; ++i) {
          if (((mask >> i) & 1) != 0) sum ^= *keys.at(1U << i) ^ *keys[0];
        }
        audit_.four_rights &= sum == (*keys.at(mask) ^ *keys[0]);
      }
    }
    const auto tell = [&](KeyFlaw fault, std::string detail, unsigned a, unsigned b) {
      keep_if_proved({fault, std::move(detail)}, *positions.at(a), *positions.at(b));
    };
    if (ignored == 15) {
      tell(KeyFlaw::kCastlingIgnored, "keys are equal for all sixteen sets of castling rights", 15,
           0);
      return;
    }
    if (ignored != 0)
      tell(KeyFlaw::kRightIgnored, "keys are the same with and without " + rights_text(ignored),
           ignored, 0);
    for (unsigned a = 0; a < 16; ++a) {
      for (unsigned b = a + 1; b < 16; ++b) {
        if (!alike(a, b) || (a & ~ignored) == (b & ~ignored)) continue;
        tell(KeyFlaw::kRightsAlike,
             fmt::format("{} and {}", rights_text(a & ~ignored), rights_text(b & ~ignored)), a, b);
        return;
      }
    }
  }

  void look_at_en_passant() {
    std::vector<std::pair<KeyPosition, KeyPosition>> ignored;
    std::map<Square, ZobristKey> changes;
    for (const KeyPosition& with : telling_) {
      if (!with.passed) continue;
      KeyPosition without = with;
      without.passed.reset();
      const auto plain = answers_.key({with.fen(false), {}});
      const auto set = key(with);
      if (!plain || !set) continue;
      changes[*with.passed] = *plain ^ *set;
      if (*plain == *set) ignored.emplace_back(with, without);
    }
    if (changes.empty()) return;
    const auto change = [&](int file, int rank) {
      const auto found = changes.find(square_at(file, rank));
      return found == changes.end() ? std::optional<ZobristKey>{} : found->second;
    };
    audit_.passed_by_file = table_.is_linear();
    for (int file = 0; file < 8; ++file)
      audit_.passed_by_file = audit_.passed_by_file && change(file, 2) == change(file, 5);
    if (!ignored.empty()) {
      const std::string detail =
          ignored.size() == changes.size()
              ? "en passant squares do not change keys"
              : fmt::format("{} of {} en passant squares do not change a key", ignored.size(),
                            changes.size());
      keep_if_proved(
          {.fault = KeyFlaw::kEnPassantIgnored, .detail = detail, .cases = ignored.size()},
          ignored[0].first, ignored[0].second);
    }
    if (!table_.is_linear()) return;
    for (int file = 0; file < 8; ++file) {
      for (int other = file + 1; other < 8; ++other) {
        const auto value = change(file, 5);
        if (!value || *value == ZobristKey{} || value != change(other, 5)) continue;
        KeyFinding finding{KeyFlaw::kEnPassantFilesAlike,
                           fmt::format("files {} and {}", static_cast<char>('a' + file),
                                       static_cast<char>('a' + other))};
        if (proves_apart({KeyFeature::en_passant(square_at(file, 5)),
                          KeyFeature::en_passant(square_at(other, 5))},
                         finding))
          return keep(std::move(finding));
      }
    }
  }

  // ------------------------------------------------------------ pieces on squares

  void collect_pieces() {
    if (table_.is_linear()) {
      for (std::size_t feature = 0; feature < KeyFeature::kSide; ++feature) {
        if (piece_of_feature(feature)->type == PieceType::kKing) continue;
        if (const auto value = table_.number(feature)) shown_[feature] = {0, *value};
      }
      return;
    }
    // Compare each position of two kings and one piece with the position of these kings alone.
    std::map<std::string, std::pair<std::size_t, ZobristKey>> bare;  // indexed by side and kings
    for (const KeyPosition& position : telling_) {
      const auto known = key(position);
      if (known && pieces_of(position).size() == 2) {
        const std::size_t group = bare.size();
        bare.emplace(without_piece(position, std::nullopt), std::pair(group, *known));
      }
    }
    for (const KeyPosition& position : telling_) {
      const auto known = key(position);
      const auto all = pieces_of(position);
      if (!known || all.size() != 3) continue;
      for (const std::size_t feature : all) {
        if (piece_of_feature(feature)->type == PieceType::kKing) continue;
        const auto found = bare.find(without_piece(position, feature));
        if (found != bare.end())
          shown_[feature] = {found->second.first, *known ^ found->second.second};
      }
    }
  }
  static std::vector<std::size_t> pieces_of(const KeyPosition& position) {
    std::vector<std::size_t> all;
    const auto features = features_of(position.position, {});
    if (!features) return all;
    for (std::size_t at = features->first(); at < KeyFeature::kSide; at = features->first(at + 1))
      all.push_back(at);
    return all;
  }
  static std::string without_piece(const KeyPosition& position, std::optional<std::size_t> piece) {
    std::string text = position.position.side_to_move() == Color::kWhite ? "w" : "b";
    for (const std::size_t feature : pieces_of(position)) {
      if (feature != piece) text += ' ' + std::to_string(feature);
    }
    return text;
  }

  /// Returns whether two features change keys by the same XOR; nullopt if their changes cannot be
  /// compared.
  [[nodiscard]] std::optional<bool> alike(std::size_t a, std::size_t b) const {
    const auto one = shown_.find(a);
    const auto other = shown_.find(b);
    if (one == shown_.end() || other == shown_.end()) return std::nullopt;
    if (one->second.group != other->second.group) return std::nullopt;
    return one->second.key == other->second.key;
  }
  [[nodiscard]] bool is_zero(std::size_t feature) const {
    const auto found = shown_.find(feature);
    return found != shown_.end() && found->second.key == ZobristKey{};
  }

  /// Returns the squares on which alike() can compare the two pieces. Returns an empty list if the
  /// numbers of the pieces differ on one of these squares, or if there are too few squares.
  [[nodiscard]] std::vector<Square> squares_alike(Piece a, Piece b) const {
    std::vector<Square> squares;
    for (int s = 0; s < kSquares; ++s) {
      const auto same =
          alike(KeyFeature::piece(a, square_at(s)), KeyFeature::piece(b, square_at(s)));
      if (same && !*same) return {};
      if (same) squares.push_back(square_at(s));
    }
    if (squares.size() < kLeastSquares) squares.clear();
    return squares;
  }
  void join_pieces(Piece a, Piece b) {
    for (int s = 0; s < kSquares; ++s)
      groups_.join(KeyFeature::piece(a, square_at(s)), KeyFeature::piece(b, square_at(s)));
  }

  void look_at_kinds() {
    std::vector<std::string> ignored;
    std::vector<Piece> counted;
    std::size_t first_ignored = 0;
    for (const Piece piece : kPiecesButKings) {
      int seen = 0;
      int zeros = 0;
      for (int s = 0; s < kSquares; ++s) {
        const std::size_t feature = KeyFeature::piece(piece, square_at(s));
        seen += shown_.contains(feature) ? 1 : 0;
        zeros += is_zero(feature) ? 1 : 0;
      }
      if (seen == zeros && seen >= kLeastSquares) {
        if (ignored.empty()) first_ignored = KeyFeature::piece(piece, Square::kC3);
        ignored.push_back(name_of_piece(piece) + 's');
        for (int s = 0; s < kSquares; ++s) shown_.erase(KeyFeature::piece(piece, square_at(s)));
      } else {
        counted.push_back(piece);
      }
    }
    for (const Color color : {Color::kWhite, Color::kBlack}) {
      if (!ignores_king(color)) continue;
      const Piece king{color, PieceType::kKing};
      if (ignored.empty()) first_ignored = KeyFeature::piece(king, Square::kC3);
      ignored.push_back("the " + name_of_piece(king));
    }
    tell_kinds(KeyFlaw::kPieceIgnored, ignored, {first_ignored});
    look_at_pairs(counted, true);
    look_at_pairs(counted, false);
  }
  /// Returns whether keys stay equal if this colour's king stands on another square. Uses positions
  /// with only two kings.
  [[nodiscard]] bool ignores_king(Color color) const {
    std::map<std::string, std::map<ZobristKey, int>>
        seen;  // indexed by the side to move and the other king's square
    for (const KeyPosition& position : telling_) {
      const auto known = key(position);
      const auto all = pieces_of(position);
      if (!known || all.size() != 2) continue;
      for (const std::size_t feature : all) {
        if (piece_of_feature(feature)->color == color)
          ++seen[without_piece(position, feature)][*known];
      }
    }
    bool ignored = false;
    for (const auto& [unused, keys] : seen) {
      if (keys.size() > 1) return false;
      ignored = ignored || keys.begin()->second >= kLeastSquares;
    }
    return ignored;
  }
  void tell_kinds(KeyFlaw fault, const std::vector<std::string>& names,
                  const std::vector<std::size_t>& features) {
    if (names.empty()) return;
    KeyFinding finding{fault, names_listed(names)};
    finding.cases = names.size();
    if (proves_apart(features, finding)) keep(std::move(finding));
  }
  /// Compares pieces in pairs. If `colours`, compares white and black pieces of one kind. Otherwise
  /// compares pieces of different kinds.
  void look_at_pairs(const std::vector<Piece>& pieces, bool colours) {
    std::vector<std::string> names;
    std::vector<std::size_t> proof;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      for (std::size_t j = i + 1; j < pieces.size(); ++j) {
        const Piece a = pieces[i];
        const Piece b = pieces[j];
        if ((a.type == b.type) != colours) continue;
        const std::vector<Square> squares = squares_alike(a, b);
        const std::size_t first = KeyFeature::piece(a, Square::kA1);
        const std::size_t second = KeyFeature::piece(b, Square::kA1);
        if (squares.empty() || groups_.root(first) == groups_.root(second)) continue;
        join_pieces(a, b);
        const Square shown = squares[squares.size() / 2];
        if (names.empty()) proof = {KeyFeature::piece(a, shown), KeyFeature::piece(b, shown)};
        names.push_back(name_of_piece(a) + "s and " + name_of_piece(b) + 's');
      }
    }
    tell_kinds(colours ? KeyFlaw::kColoursAlike : KeyFlaw::kPiecesAlike, names, proof);
  }

  void look_at_squares() {
    constexpr int kLeastKinds = 6;
    std::vector<std::string> names;
    std::vector<std::size_t> proof;
    for (int s = 0; s < kSquares; ++s) {
      for (int t = s + 1; t < kSquares; ++t) {
        int seen = 0;
        bool same = true;
        std::vector<std::size_t> example;
        for (const Piece piece : kPiecesButKings) {
          const std::size_t a = KeyFeature::piece(piece, square_at(s));
          const std::size_t b = KeyFeature::piece(piece, square_at(t));
          const auto here = alike(a, b);
          if (!here) continue;
          ++seen;
          same = same && *here;
          example = {a, b};
        }
        if (!same || seen < kLeastKinds) continue;
        for (const Piece piece : kPiecesButKings)
          groups_.join(KeyFeature::piece(piece, square_at(s)),
                       KeyFeature::piece(piece, square_at(t)));
        if (names.empty()) proof = example;
        names.push_back(to_string(square_at(s)) + " and " + to_string(square_at(t)));
      }
    }
    tell_kinds(KeyFlaw::kSquaresAlike, names, proof);
  }

  void look_at_zeros() {
    std::vector<std::string> names;
    std::vector<std::size_t> proof;
    for (auto at = shown_.begin(); at != shown_.end();) {
      if (at->second.key == ZobristKey{}) {
        if (names.empty()) proof = {at->first};
        names.push_back(name_of_feature(at->first));
        at = shown_.erase(at);
      } else {
        ++at;
      }
    }
    tell_kinds(KeyFlaw::kZeroNumber, names, proof);
  }

  /// Returns pairs of features with equal numbers, except pairs that an earlier finding explains.
  std::vector<std::pair<std::size_t, std::size_t>> equal_pairs() {
    std::map<std::pair<std::size_t, ZobristKey>, std::size_t> first;
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (const auto& [feature, shown] : shown_) {
      const auto [known, is_new] = first.emplace(std::pair(shown.group, shown.key), feature);
      if (is_new || groups_.root(known->second) == groups_.root(feature)) continue;
      pairs.emplace_back(known->second, feature);
    }
    return pairs;
  }

  // ------------------------------------------------------------ all numbers together

  void add_number(std::size_t feature, std::string name) {
    const auto value = table_.number(feature);
    if (value) audit_.numbers.push_back({feature, std::move(name), *value});
  }
  void collect_numbers() {
    for (std::size_t feature = 0; feature < KeyFeature::kSide; ++feature) {
      const Piece piece = *piece_of_feature(feature);
      const Square home = piece.color == Color::kWhite ? Square::kE1 : Square::kE8;
      const bool king = piece.type == PieceType::kKing;
      if (king && square_of_feature(feature) == home) continue;
      add_number(feature, name_of_feature(feature) + (king ? " ^ " + to_string(home) : ""));
    }
    if (table_.is_one()) add_number(KeyFeature::kSide, name_of_feature(KeyFeature::kSide));
    for (unsigned mask = 1; mask < 16; ++mask) {
      const bool single = (mask & (mask - 1)) == 0;
      if (!audit_.four_rights || single)
        add_number(KeyFeature::rights(mask), name_of_feature(KeyFeature::rights(mask)));
    }
    for (int number = audit_.passed_by_file ? 8 : 0; number < 16; ++number) {
      const Square square = square_at(number % 8, number < 8 ? 2 : 5);
      add_number(KeyFeature::en_passant(square),
                 audit_.passed_by_file
                     ? std::string("en passant file ") + static_cast<char>('a' + file_of(square))
                     : name_of_feature(KeyFeature::en_passant(square)));
    }
    ZobristKey changing;
    for (const KeyNumber& number : audit_.numbers) {
      changing.low |= number.value.low;
      changing.high |= number.value.high;
    }
    audit_.changing_bits = popcount(changing.low) + popcount(changing.high);
  }

  /// Returns the expected number of sets of `size` numbers that cancel by chance.
  [[nodiscard]] double by_chance(std::size_t size) const {
    double sets = 1;
    const auto n = static_cast<double>(audit_.numbers.size());
    for (std::size_t i = 0; i < size; ++i)
      sets *= (n - static_cast<double>(i)) / static_cast<double>(i + 1);
    return std::ldexp(sets, -audit_.changing_bits);
  }

  void look_at_equal(const std::vector<std::pair<std::size_t, std::size_t>>& pairs) {
    if (pairs.empty()) return;
    KeyFinding finding{KeyFlaw::kEqualNumbers, ""};
    std::vector<std::string> names;
    for (const auto& [a, b] : pairs)
      names.push_back(name_of_feature(a) + " and " + name_of_feature(b));
    finding.detail = names_listed(names);
    finding.cases = pairs.size();
    if (table_.is_linear() && by_chance(2) > kByChance) {
      finding.fault = KeyFlaw::kShortNumbers;
      finding.detail = fmt::format(
          "only {} of {} bits ever change, so that {} pairs of numbers are equal: {}",
          audit_.changing_bits, answers_.source().bits(), pairs.size(), names_listed(names));
    }
    for (const auto& [a, b] : pairs) {
      if (!proves_apart({a, b}, finding)) continue;
      return keep(std::move(finding));
    }
  }

  /// If only very few bits of a key ever change, some sets of four numbers probably cancel. Looks
  /// for such a set, and reports kShortNumbers if it finds one.
  void look_at_bits() {
    constexpr int kLeastBits = 32;
    if (audit_.changing_bits >= kLeastBits || audit_.numbers.size() < 100 || error_) return;
    for (const KeyFinding& finding : audit_.findings) {
      if (finding.fault == KeyFlaw::kShortNumbers) return;
    }
    KeyFinding finding{KeyFlaw::kShortNumbers,
                       fmt::format("only {} of {} bits of a key ever change", audit_.changing_bits,
                                   answers_.source().bits())};
    // If two pairs of numbers have equal XORs, the four numbers cancel.
    std::multimap<ZobristKey, std::pair<std::size_t, std::size_t>> pairs;
    int tries = 1000;
    const auto& numbers = audit_.numbers;
    for (std::size_t i = 0; i < numbers.size() && tries > 0; ++i) {
      for (std::size_t j = 0; j < i && tries > 0; ++j) {
        const ZobristKey both = numbers[i].value ^ numbers[j].value;
        const auto [first, last] = pairs.equal_range(both);
        for (auto at = first; at != last && tries > 0; ++at) {
          --tries;
          const auto [k, l] = at->second;
          if (k == i || k == j || l == i || l == j) continue;
          if (!proves_apart(
                  {numbers[i].feature, numbers[j].feature, numbers[k].feature, numbers[l].feature},
                  finding))
            continue;
          finding.detail +=
              fmt::format(", so that many numbers cancel: {}, {}, {}, {}", numbers[i].name,
                          numbers[j].name, numbers[k].name, numbers[l].name);
          return keep(std::move(finding));
        }
        pairs.emplace(both, std::pair(i, j));
      }
    }
  }

  void look_at_sums() {
    WordList list;
    std::vector<std::size_t> features;
    std::map<ZobristKey, bool> seen;
    std::map<std::size_t, std::uint32_t> places;
    for (const KeyNumber& number : audit_.numbers) {
      // look_at_equal() reports equal numbers. So only the first of several equal numbers is used
      // here.
      if (number.value == ZobristKey{} || !seen.emplace(number.value, true).second) continue;
      places[number.feature] = static_cast<std::uint32_t>(list.words.size());
      list.words.push_back({number.name, number.value});
      features.push_back(number.feature);
    }
    if (list.words.size() < 2) return;
    add_intended(list, places);
    const WordAudit words = audit_words(list, answers_.source().bits());
    audit_.rank = words.rank;
    audit_.worst_sigmas = words.worst_sigmas;
    audit_.worst_bit = words.worst_bit;
    audit_.collisions = std::ldexp(1.0, 59 - words.rank);
    KeyFinding finding{KeyFlaw::kDependentNumbers, ""};
    finding.cases = 0;
    for (const std::vector<std::string>& names : words.dependences) {
      if (error_ || names.size() < 3) continue;
      if (by_chance(names.size()) > kByChance) {
        audit_.by_chance.push_back(names);
        continue;
      }
      std::vector<std::size_t> set;
      for (const std::string& name : names) {
        const auto word = std::ranges::find(list.words, name, &WordList::Word::name);
        set.push_back(features[static_cast<std::size_t>(word - list.words.begin())]);
      }
      // A square holds only one piece. So two keys cannot differ by exactly the numbers of a queen,
      // a rook and a bishop on one square, for example. If such numbers cancel, this is no fault,
      // and proves_apart() finds no proof.
      KeyFinding one = finding;
      if (!proves_apart(set, one)) continue;
      if (finding.proof.empty()) {
        finding.proof = one.proof;
        finding.detail = fmt::format("these {} numbers cancel each other: {}", names.size(),
                                     names_listed(names));
      }
      ++finding.cases;
    }
    if (finding.cases > 0) keep(std::move(finding));
  }
  /// Marks each set of three numbers that belong to one square and cancel, such as queen = rook ^
  /// bishop. Programs may choose such numbers on purpose.
  static void add_intended(WordList& list, const std::map<std::size_t, std::uint32_t>& places) {
    for (std::size_t square = 0; square < 64; ++square) {
      std::vector<std::uint32_t> here;
      for (std::size_t piece = 0; piece < 12; ++piece) {
        const auto found = places.find(piece * 64 + square);
        if (found != places.end()) here.push_back(found->second);
      }
      for (std::size_t i = 0; i < here.size(); ++i) {
        for (std::size_t j = i + 1; j < here.size(); ++j) {
          for (std::size_t k = j + 1; k < here.size(); ++k) {
            const auto& words = list.words;
            if ((words[here[i]].word ^ words[here[j]].word) == words[here[k]].word)
              list.intended.push_back({here[i], here[j], here[k]});
          }
        }
      }
    }
  }

  KeyAnswers& answers_;
  const KeyTable& table_;
  const bool sums_;
  const std::vector<KeyPosition> telling_ = telling_positions();
  NumberAudit audit_;
  std::map<std::size_t, Shown> shown_;
  AlikeGroups groups_;
  std::optional<Error> error_;
};

}  // namespace

Result<NumberAudit> audit_numbers(KeyAnswers& answers, const KeyTable& table, bool sums) {
  return NumberAuditor(answers, table, sums).run();
}

}  // namespace manyply
