"""A plain move generator in Python with errors on demand. A user would check such a generator with `assert_perft`.

It shares nothing with the library. `Generator(bug)(fen, depth)` counts paths; `divide` counts the paths after each move.
"""

from __future__ import annotations

BUGS = ("no-en-passant", "en-passant-unpins", "queens-only", "castles-through-check", "right-outlives-rook")

KNIGHT = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
STRAIGHT = ((0, 1), (1, 0), (0, -1), (-1, 0))
OBLIQUE = ((1, 1), (1, -1), (-1, -1), (-1, 1))
SLIDES = {"B": OBLIQUE, "R": STRAIGHT, "Q": STRAIGHT + OBLIQUE}
CORNERS = {0: "Q", 7: "K", 56: "q", 63: "k"}


class Board:
    """Squares from a1 = 0; white pieces are capitals; `passed` is the square that a pawn's double step passed over."""

    def __init__(self, squares: list[str], white: bool, rights: str, passed: int):
        self.squares = squares
        self.white = white
        self.rights = rights
        self.passed = passed

    @staticmethod
    def read(fen: str) -> Board:
        placement, side, rights, passed = fen.split()[:4]
        squares: list[str] = []
        for rank in reversed(placement.split("/")):
            for letter in rank:
                squares += [""] * int(letter) if letter.isdigit() else [letter]
        return Board(squares, side == "w", rights, -1 if passed == "-" else square(passed))

    def is_ours(self, piece: str) -> bool:
        return piece != "" and piece.isupper() == self.white

    def attacked(self, at: int, by_white: bool) -> bool:
        def theirs(there: int, kinds: str) -> bool:
            piece = self.squares[there]
            return piece != "" and piece.isupper() == by_white and piece.upper() in kinds

        back = -1 if by_white else 1
        if any(theirs(there, "P") for there in steps(at, ((-1, back), (1, back)))):
            return True
        if any(theirs(there, "N") for there in steps(at, KNIGHT)) or any(
                theirs(there, "K") for there in steps(at, STRAIGHT + OBLIQUE)):
            return True
        for directions, kinds in ((STRAIGHT, "RQ"), (OBLIQUE, "BQ")):
            for direction in directions:
                for there in ray(at, direction):
                    if self.squares[there]:
                        if theirs(there, kinds):
                            return True
                        break
        return False

    def in_check(self, white: bool) -> bool:
        return self.attacked(self.squares.index("K" if white else "k"), not white)


def square(name: str) -> int:
    return ord(name[0]) - ord("a") + 8 * (int(name[1]) - 1)


def name(at: int) -> str:
    return "abcdefgh"[at % 8] + str(at // 8 + 1)


def steps(at: int, offsets: tuple[tuple[int, int], ...]) -> list[int]:
    file, rank = at % 8, at // 8
    return [file + x + 8 * (rank + y) for x, y in offsets if 0 <= file + x < 8 and 0 <= rank + y < 8]


def ray(at: int, direction: tuple[int, int]) -> list[int]:
    passed = []
    while following := steps(at, (direction,)):
        at = following[0]
        passed.append(at)
    return passed


class Generator:
    def __init__(self, bug: str = ""):
        assert bug in ("", *BUGS)
        self.bug = bug

    def __call__(self, fen: str, depth: int) -> int:
        return self.count(Board.read(fen), depth)

    def divide(self, fen: str, depth: int) -> dict[str, int]:
        return {move: self.count(after, depth - 1) for move, after in self.moves(Board.read(fen))}

    def count(self, board: Board, depth: int) -> int:
        if depth == 0:
            return 1
        moves = self.moves(board)
        return len(moves) if depth == 1 else sum(self.count(after, depth - 1) for _, after in moves)

    def moves(self, board: Board) -> list[tuple[str, Board]]:
        legal = []
        for start, end, promotion in self.candidates(board):
            takes_passed = board.squares[start] in ("P", "p") and end == board.passed
            after = self.play(board, start, end, promotion, takes_passed)
            unchecked = takes_passed and self.bug == "en-passant-unpins"
            if unchecked or not after.in_check(board.white):
                legal.append((name(start) + name(end) + promotion.lower(), after))
        return legal

    def candidates(self, board: Board) -> list[tuple[int, int, str]]:
        found = []
        for at, piece in enumerate(board.squares):
            if not board.is_ours(piece):
                continue
            kind = piece.upper()
            if kind == "P":
                found += self.pawn_moves(board, at)
            elif kind in SLIDES:
                for direction in SLIDES[kind]:
                    for there in ray(at, direction):
                        if not board.is_ours(board.squares[there]):
                            found.append((at, there, ""))
                        if board.squares[there]:
                            break
            else:
                offsets = KNIGHT if kind == "N" else STRAIGHT + OBLIQUE
                found += [(at, there, "") for there in steps(at, offsets) if not board.is_ours(board.squares[there])]
                if kind == "K":
                    found += self.castling(board, at)
        return found

    def pawn_moves(self, board: Board, at: int) -> list[tuple[int, int, str]]:
        up = 1 if board.white else -1
        ends = []
        if not board.squares[at + 8 * up]:
            ends.append(at + 8 * up)
            if at // 8 == (1 if board.white else 6) and not board.squares[at + 16 * up]:
                ends.append(at + 16 * up)
        for there in steps(at, ((-1, up), (1, up))):
            takes = board.squares[there] != "" and not board.is_ours(board.squares[there])
            if takes or (there == board.passed and self.bug != "no-en-passant"):
                ends.append(there)
        pieces = "Q" if self.bug == "queens-only" else "QRBN"
        return [(at, end, piece) for end in ends for piece in (pieces if end // 8 in (0, 7) else ("",))]

    def castling(self, board: Board, king: int) -> list[tuple[int, int, str]]:
        found = []
        if board.in_check(board.white):
            return found
        for right, between, step in (("K", (1, 2), 1), ("Q", (-1, -2, -3), -1)):
            if (right if board.white else right.lower()) not in board.rights:
                continue
            if any(board.squares[king + square] for square in between):
                continue
            if self.bug == "castles-through-check" or not board.attacked(king + step, not board.white):
                found.append((king, king + 2 * step, ""))
        return found

    def play(self, board: Board, start: int, end: int, promotion: str, takes_passed: bool) -> Board:
        squares = list(board.squares)
        piece = squares[start]
        squares[start] = ""
        squares[end] = (promotion if board.white else promotion.lower()) or piece
        if takes_passed:
            squares[end - 8 if board.white else end + 8] = ""
        rights = board.rights
        if piece in ("K", "k"):
            if end - start in (2, -2):
                corner, beside = (end + 1, end - 1) if end > start else (end - 2, end + 1)
                squares[beside], squares[corner] = squares[corner], ""
            rights = "".join(right for right in rights if right.isupper() != board.white)
        touched = (start,) if self.bug == "right-outlives-rook" else (start, end)
        for at in touched:
            rights = rights.replace(CORNERS.get(at, "-"), "")
        double = piece in ("P", "p") and abs(end - start) == 16
        return Board(squares, not board.white, rights, (start + end) // 2 if double else -1)
