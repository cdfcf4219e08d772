#include "tools/cli/framework/topics.h"

#include <algorithm>
#include <array>

namespace manyply {
namespace {

constexpr const char* kPositionsText = R"(
A position is a FEN of 4 to 6 fields in quotes, or a name: POSITIONS. Give it with --fen, or as an
argument: perft count 5 kiwipete. Other forms that users copy are accepted, too: position fen FEN
moves e2e4; startpos e2e4; a UCI log (its last position); a line of EPD; a FEN in quotes or
backticks, followed by ; or , or as a string in source code or JSON (fen = "FEN";); a FEN with
underscores instead of spaces; an address of Lichess or Chess.com; a FEN that ends early (White to
move, no castling). A game in PGN stands for its last position, without comments and variations;
[FEN "..."] alone for that position; moves alone, "1. e4 e5", for the position after them. Variants
with other rules are refused by name. The output names the position that was counted.

Castling rights may be written as KQkq, X-FEN or Shredder-FEN. If they can only occur in Chess960,
the output says so, and castling moves are written as king takes rook (e1h1). --chess960 selects
that notation for every position.

An impossible position is refused with the field and its column: a king that could be captured, a
castling right without its rook, an en passant square that no pawn has passed. Positions that no
game can reach are counted if neither side has more than 16 pieces. Stockfish counts some of those
wrong, such as a check together with an unrelated en passant square.

Moves are written in UCI, "e2e4 e7e5", or in algebraic notation, "1. e4 e5 2. Nf3".

Numbers may be written as 1000000, 1_000_000, 1e6 or 1M; sizes as 512M, 512MiB or 1.5G. A size
without a unit is in MiB, as in UCI; off means none.)";

constexpr const char* kMethodsText = R"(
count has two methods; the output names the one that was used. The hashed method searches the tree
and looks each position up in a transposition table. The method by configurations stores the number
of paths to each pair of White's pieces and Black's pieces, and moves one side's pieces for all of
the other side's at once. It is usually faster. It compares pieces as a whole, without keys, so
false matches are impossible.

By default, count uses configurations if the depth is large enough for a table. It counts hashed if
--checkpoint or a flag about the table is given. --memory 8G limits the memory of a count by
configurations; the default is about half of the free memory. If the matrices do not fit, the total
is counted in parts, one after the other; perft prints the least number of parts, the memory and
the expected time before it starts. --parts N sets the number. A divide is not counted in parts. json and csv contain one, so such
a count is hashed.

A table is used from depth 5 on. Its default size is what the count can use, at most half of the
free memory; --hash 4G sets it, --hash off counts without a table. The count does not depend on
kernel or number of threads. A position is identified by a key of 128 random bits. Each result says
how many of them a match has compared, and how many false matches are expected: about 4e-16 for
perft(9). --key-seed selects other keys. --key-bits 24 makes weak keys, to demonstrate that verify
finds false matches: it searches for the smallest subtree that differs and names the cause.

--checkpoint FILE stores finished subtrees, or with --method configurations finished parts. However
the command is killed, running it again continues from there, also with another kernel, another
number of threads or less memory. A damaged end of the file is counted again; a file of another count
is refused.

On machines with several memory nodes, --interleave spreads the table over them, and --pin keeps
each thread on its core.)";

constexpr const char* kFormatsText = R"(
text is for reading. json is one object per count; counts are decimal strings, because JavaScript
loses digits above 2^53. csv has the header move,nodes, a row for each root move, and a total.
stockfish is byte for byte the output of 'go perft' in Stockfish 15.1, with its order of moves; the
other formats sort root moves by their text.

leaves/s is the number of paths counted per second, the figure that other programs publish.
visited/s is the number of positions above the leaves whose moves were generated or counted without
an answer from a table, a measure of the work done.

'known' is match, mismatch or unknown: each total is compared with published ones, for the start
position to depth 15, and for well-known test positions.

Data goes to standard output, everything else to standard error. If standard error is a terminal, a
line shows the current phase, then rate, share and remaining time; --progress json writes JSON
lines, --progress never nothing. If the reader of a pipe goes away, the command ends without an
error message. If standard output is closed from the start, that is an error.)";

constexpr const char* kExitCodesText = R"(
  0    success; all comparisons agree
  1    a count differs: from a published value, a suite, check's VALUE, the
       signature, in verify, or between an engine and us; or keys fail their audit
  2    usage, input or run-time error, reported in one line with the field and
       its column; or nothing differs, but lines of a suite were refused, or
       none of its counts was compared
  130  Ctrl-C: no partial result is printed. A second Ctrl-C kills at once

If a command's exit codes mean more, its help says so.)";

constexpr const char* kEnginesText = R"(
bisect and suite --engine can ask any program that answers 'position fen ... moves ...' and 'go
perft N', 'divide N' or 'perft N' on its standard input, with or without the rest of UCI; or
xboard's 'setboard FEN' instead; or a script that is run as CMD DEPTH FEN [MOVES] and prints a
divide or a total, as for perftree; or a checker that is run as CMD FEN DEPTH VALUE and exits with 0
if VALUE is right, like JudDperft. The kind is detected, or set with --dialect. Programs with other
commands are supported by --ask and --run:

  perft bisect 4 --engine ./Ethereal --ask 'perft {depth}'
  perft bisect 4 --engine ./crafty --ask 'setboard {fen}\nperft {depth}'
  perft bisect 4 --run './gen --fen {fen} --depth {depth}'

Most notations of rows are accepted: e2e4: 20, 1. e2-e4 = 20, 20 e2e4, Nf3: 20, O-O 20, "e7e8q": 20,
promotions printed four times as two squares, and at depth 1 moves without counts. A total alone, a
table of totals by depth, and a divide for each depth (the last one counts) are accepted, too. A
line that looks like a row but cannot be read, such as e1g1: -20 from an overflowed counter, is
quoted; the verdict is then 'not understood', and no cause is given.

If a program is right but answers another question, a single cause says so: it ignores the FEN, the
side to move or the moves (fen-not-taken, side-not-taken, moves-not-played, another-position),
counts depth differently (another-depth), or counts all plies (counts-every-ply). Every other cause
names a broken rule and the move that breaks it. In JSON each cause has a stable name.

An engine that crashes, prints without end, contradicts itself, or exceeds --timeout has failed,
which is different from being wrong. The message shows the question and the engine's last lines on
standard error. In a suite, the engine is started again for the next position, until ten positions
in a row have failed.

If suites have tags, the output lists those that the wrong positions share. To tag positions of your
own suite, define a tag with a line '#tag p pawns: nothing but pawns', and write '#p' after a
position.)";

constexpr const char* kSuitesText = R"(
A suite is a list of positions with expected counts. Its form is detected from its contents, and
reported in one line unless it is ordinary EPD. suite, batch and bisect --suite read the same forms.

  FEN ;D1 20 ;D2 400                  EPD; also perft 1 20, 1 20, perft 3 = 8902,
                                      among operations such as id "start"; bm e4
  FEN,20,400    "FEN",3,8902          rows, with , ; | tab or two spaces between
  fen,depth,nodes    FEN|D1|D2        a header for the rows below; also in Markdown
  FEN (a line), 1 20 (lines below)    also: id X, epd FEN, perft N COUNT
  FEN (a line), Depth Nodes Captures ...       a table below, as copied from a page
  [{"fen": FEN, "depth": 3, "nodes": 8902}]    JSON: lists, objects by name or by
  {"start": {"fen": FEN, "results": {"1": 20}}}    FEN, or one per line; extra commas
  fen: FEN    [[test]] fen = "FEN"    YAML and TOML with the same members, INI
  ("FEN", 4, 197_281),    { fen: 'FEN', depth: 3 }    tables in source code
  <tr><td>FEN</td><td>3</td>    tables in HTML pages

Counts may be grouped: 1,234,567, 1.234.567, 1'234'567, 1_234_567, 1 234 567. 8902.0 is a whole
number; 1.19E+08 is refused because digits are missing. Comments start with #, // or --. Files may
be UTF-8, or UTF-16 with a byte order mark, with any line ends. Names of positions (id, name, title)
and tags are kept when a suite is written. A text may have at most one value per four bytes, and a
line of YAML at most 65,536 bytes. Numbers without names are interpreted together by counting: as
counts from depth 1 on, or as a depth and its nodes. If that is ambiguous, the file is refused, and
a header must name the columns; nothing is guessed.

A line that is not understood is quoted with its number and column, and the other lines are used.
With --lenient, impossible positions are reported and left out. A suite of which the limits leave
nothing to compare has not passed: the exit code is 2.)";

constexpr std::array kTopics{
    Topic{"positions", "POSITIONS AND NUMBERS", "Notations of positions, moves, numbers and sizes",
          kPositionsText},
    Topic{"methods", "METHODS AND TABLES", "How counts are made: methods, tables, checkpoints",
          kMethodsText},
    Topic{"suites", "SUITES",
          "Suites: positions with expected counts, and the forms that are accepted", kSuitesText},
    Topic{"formats", "OUTPUT", "Output formats and streams", kFormatsText},
    Topic{"exit-codes", "EXIT STATUS", "Meaning of exit codes", kExitCodesText},
    Topic{"engines", "ENGINES", "Supported programs and the verdicts on them", kEnginesText},
};

}  // namespace

std::span<const Topic> topics() { return kTopics; }

const Topic* find_topic(std::string_view name) {
  const auto found = std::ranges::find(kTopics, name, &Topic::name);
  return found == kTopics.end() ? nullptr : &*found;
}

}  // namespace manyply
