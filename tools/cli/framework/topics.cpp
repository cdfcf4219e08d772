#include "tools/cli/framework/topics.h"

#include <algorithm>
#include <array>

namespace manyply {
namespace {

constexpr const char* kPositionsText = R"(
A position is a FEN of 4 to 6 fields in quotes, or a name: POSITIONS. It follows --fen, or stands
alone: perft count 5 kiwipete. It is taken as people have it, too: position fen FEN moves e2e4,
startpos e2e4, a UCI log (its last position), a line of EPD, in quotes or back-ticks, with ; or ,
behind it, as a string of source code or JSON (fen = "FEN";), with underscores for blanks, as an
address of Lichess or Chess.com, or a FEN that ends early (White to move, no castling). Of a game in
PGN, whose comments and variations are no moves, it is the last position; of [FEN "..."] alone that
one; of moves alone, "1. e4 e5", where they lead to from the start. Variants with other rules are
refused by name. Results say what was counted.

Castling rights are written as
KQkq, X-FEN or Shredder-FEN. Chess960 is recognised by them, which is said, and castling is then
written as king takes rook (e1h1), as it is everywhere with --chess960.

A position that cannot be is refused with the field and its column: a king that could be captured, a
castling right without its rook, an en passant square that no pawn has passed. Positions that no
game can reach are counted as long as neither side has more than 16 pieces. Stockfish goes wrong on
some of those, such as a check beside an unrelated en passant square.

Moves are written in UCI, "e2e4 e7e5", or as people do, "1. e4 e5 2. Nf3".

Numbers may be 1000000, 1_000_000, 1e6 or 1M; sizes 512M, 512MiB or 1.5G. A bare size is in MiB, as
in UCI; off is none.)";

constexpr const char* kMethodsText = R"(
count has two methods, and names the one that it took. Hashed, it goes through the tree and looks
each position up in a transposition table. By configurations it keeps how many paths lead to each
pair of White's pieces and Black's pieces, and moves one side's pieces for all of the other's at
once. That mostly takes less time, and since pieces are compared whole, without keys, no false match
is possible.

By itself it counts by configurations where a table would be used. Counts with a checkpoint and
counts for which a flag asks for a table are hashed. --memory 8G bounds the memory of a count by
configurations; without it, it takes about half of what is free. What does not fit is counted in
parts, one after the other: perft says before it starts how many there are and what they take. A
divide is not counted in parts, and json and csv print one, so for them such a count is hashed.

Tables are used from depth 5 on. Their size is what the count can use, at most half of the free
memory; --hash 4G sets it, --hash off counts without. Every kernel and every number of threads
counts the same. A position is known by a key of 128 random bits. Each result says how many of them
a match has compared, and how many false matches are to be expected: some 4e-16 for perft(9).
--key-seed takes other keys. --key-bits 24 makes weak ones, to see that verify finds what they do:
it goes down to the smallest subtree that differs and names the cause.

--checkpoint FILE keeps finished subtrees. Killed in whatever way, the same command goes on from
there; a damaged end of the file is counted again, another count's file is refused.

On machines with several memory nodes --interleave spreads the table, and --pin keeps each thread on
its core.)";

constexpr const char* kFormatsText = R"(
text is for people. json is one object for each count, with counts as decimal strings, because
JavaScript loses digits above 2^53. csv has the head move,nodes, a row for each root move, and a
total. stockfish is byte for byte what 'go perft' of Stockfish 15.1 prints, in its order of moves;
elsewhere root moves are sorted by their text.

leaves/s are the paths counted, which is what others publish. visited/s are positions above the
leaves whose moves were listed or counted, and which no table answered for: how hard the machine
works.

'known' says match, mismatch or unknown: each total is looked up among published ones, the start
position's to depth 15 and those of positions that programs have stumbled over.

Data goes to standard output, everything else to standard error. If that is a terminal, a line there
shows what is prepared, then rate, share and the time left; --progress json writes JSON lines, never
nothing. A pipe that is closed at its other end is no error: the command ends quietly. A standard
output that is closed from the start is one.)";

constexpr const char* kExitCodesText = R"(
  0    done; counts agree with what they were compared with
  1    a count differs from a published value, a suite, check's VALUE or the
       signature, in verify, or an engine's from ours; keys fail their audit
  2    usage, input or run-time error, told in one line with the field and its
       column; or nothing differs, and lines of a suite were refused, or none
       of its counts was compared
  130  Ctrl-C: no partial result is printed. A second Ctrl-C kills at once

A command whose own codes say more has them in its help.)";

constexpr const char* kEnginesText = R"(
bisect and suite --engine ask any program that answers 'position fen ... moves ...' and 'go perft
N', 'divide N' or 'perft N' on its standard input, with or without the rest of UCI; or xboard's
'setboard FEN' instead; or a script, run as CMD DEPTH FEN [MOVES] and printing a divide or a total,
as perftree has them; or a checker, run as CMD FEN DEPTH VALUE, whose exit code is 0 if VALUE is
right, as JudDperft is. Which it is is found out, or said with --dialect. What takes other words is
told them, or run as you say:

  perft bisect 4 --engine ./Ethereal --ask 'perft {depth}'
  perft bisect 4 --engine ./crafty --ask 'setboard {fen}\nperft {depth}'
  perft bisect 4 --run './gen --fen {fen} --depth {depth}'

Rows are understood in most notations: e2e4: 20, 1. e2-e4 = 20, 20 e2e4, Nf3: 20, O-O 20,
"e7e8q": 20, and promotions printed four times as two squares; at depth 1 moves alone, too. So are a
total alone, a table of totals by depth, and a divide for each depth, of which the last one counts.
What may be a row and cannot be read, such as e1g1: -20 from a counter that has overflowed, is
quoted; the verdict is then 'not understood', and nothing is blamed.

A right program that answers another question is told so, in one cause: the FEN, the side to move or
the moves are not taken (fen-not-taken, side-not-taken, moves-not-played, another-position), depth
is counted otherwise (another-depth), or all plies are (counts-every-ply). All other causes name a
rule that is broken, and the move that breaks it. In JSON each cause has a stable name.

An engine that crashes, prints without end, contradicts itself, or takes longer than --timeout has
failed, which is not the same as being wrong: that is told with the question it was asked and the
last it wrote to standard error. In a suite it is started again and asked the next position, until
ten in a row have failed.

Where suites have tags, those that the wrong positions share are told. A suite of your own has them
by a line '#tag p pawns: nothing but pawns', and '#p' behind a position gives it that tag.)";

constexpr const char* kSuitesText = R"(
A suite is positions with the counts that somebody expects of them. Its form is found by what stands
in it, and said in one line unless it is EPD as it is usual; suite, batch and bisect --suite read
the same.

  FEN ;D1 20 ;D2 400                  EPD; also perft 1 20, 1 20, perft 3 = 8902,
                                      among operations such as id "start"; bm e4
  FEN,20,400    "FEN",3,8902          rows, with , ; | tab or two blanks between
  fen,depth,nodes    FEN|D1|D2        a head, for the rows below; also in Markdown
  FEN (a line), 1 20 (lines below)    also: id X, epd FEN, perft N COUNT
  FEN (a line), Depth Nodes Captures ...       a table below, as copied from a page
  [{"fen": FEN, "depth": 3, "nodes": 8902}]    JSON: lists, objects by name or by
  {"start": {"fen": FEN, "results": {"1": 20}}}    FEN, or one a line; commas too many
  fen: FEN    [[test]] fen = "FEN"    YAML and TOML of the same, INI
  ("FEN", 4, 197_281),    { fen: 'FEN', depth: 3 }    tables in source code
  <tr><td>FEN</td><td>3</td>    tables of pages, in HTML

Counts may be grouped: 1,234,567, 1.234.567, 1'234'567, 1_234_567, 1 234 567; 8902.0 is whole, and
1.19E+08 is refused: its digits are not all there. Comments begin with #, // or --. Files may be
UTF-8, or UTF-16 with its mark, with any line ends. What a position is called (id, name, title) and
its tags are kept when a suite is written. A text may have a value for each four bytes, and lines of
YAML 65,536 bytes. Numbers that nothing names are decided
together, by what is counted here: counts from depth 1 on, or a depth and its nodes. Where that is
not certain the file is refused, and a head says what they are; nothing is guessed.

What is not understood is quoted with its line and column, and the other lines are read. With
--lenient positions that no chess has are told and left out. A suite of which the limits leave
nothing to compare has not passed: the exit code is 2.)";

constexpr std::array kTopics{
    Topic{"positions", "POSITIONS AND NUMBERS",
          "How positions, moves, numbers and sizes are written", kPositionsText},
    Topic{"methods", "METHODS AND TABLES", "How counts are made: methods, tables, checkpoints",
          kMethodsText},
    Topic{"suites", "SUITES", "Suites: positions with counts, in all forms that are read",
          kSuitesText},
    Topic{"formats", "OUTPUT", "What is printed, and where", kFormatsText},
    Topic{"exit-codes", "EXIT STATUS", "What exit codes mean", kExitCodesText},
    Topic{"engines", "ENGINES", "Which programs can be asked, and what is said of them",
          kEnginesText},
};

}  // namespace

std::span<const Topic> topics() { return kTopics; }

const Topic* find_topic(std::string_view name) {
  const auto found = std::ranges::find(kTopics, name, &Topic::name);
  return found == kTopics.end() ? nullptr : &*found;
}

}  // namespace manyply
