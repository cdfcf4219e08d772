//! A small move generator that speaks UCI with `go perft N`. With FAULT=en-passant-unpins it does not check whether the
//! king is safe after an en passant capture.
use std::io::BufRead;

const ORTHOGONAL: &[i32] = &[1, -1, 10, -10];
const DIAGONAL: &[i32] = &[9, -9, 11, -11];
const ALL: &[i32] = &[1, -1, 10, -10, 9, -9, 11, -11];
const KNIGHT: &[i32] = &[8, -8, 12, -12, 19, -19, 21, -21];
const PIECES: [(u8, &[i32], bool); 5] =
    [(b'n', KNIGHT, false), (b'k', ALL, false), (b'b', DIAGONAL, true), (b'r', ORTHOGONAL, true), (b'q', ALL, true)];
const CORNERS: [(i32, u8); 4] = [(21, b'Q'), (28, b'K'), (91, b'q'), (98, b'k')];
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The board has 12 rows of 10 squares: a1 = 21, h8 = 98, '#' is outside. White's pieces are capitals.
#[derive(Clone)]
struct Position {
    board: [u8; 120],
    white: bool,
    rights: Vec<u8>,
    passed: i32,
}

#[derive(Clone, Copy)]
struct Move {
    from: i32,
    to: i32,
    promotion: Option<u8>,
}

fn is_of(piece: u8, white: bool) -> bool {
    if white { piece.is_ascii_uppercase() } else { piece.is_ascii_lowercase() }
}

fn coloured(kind: u8, white: bool) -> u8 {
    if white { kind.to_ascii_uppercase() } else { kind }
}

fn name(at: i32) -> String {
    format!("{}{}", (b'a' + (at % 10 - 1) as u8) as char, at / 10 - 1)
}

impl Position {
    fn read(fen: &str) -> Position {
        let fields: Vec<&str> = fen.split(' ').collect();
        let mut board = [b'#'; 120];
        for (index, row) in fields[0].split('/').enumerate() {
            let mut at = 91 - 10 * index;
            for piece in row.bytes() {
                let count = if piece.is_ascii_digit() { (piece - b'0') as usize } else { 1 };
                board[at..at + count].fill(if piece.is_ascii_digit() { b'.' } else { piece });
                at += count;
            }
        }
        let passed = match fields[3].as_bytes() {
            [file, rank] => (21 + (file - b'a') + 10 * (rank - b'1')) as i32,
            _ => 0,
        };
        Position { board, white: fields[1] == "w", rights: fields[2].bytes().collect(), passed }
    }

    fn at(&self, square: i32) -> u8 {
        self.board[square as usize]
    }

    fn targets(&self, from: i32, steps: &[i32], slides: bool) -> Vec<i32> {
        let mut found = Vec::new();
        for step in steps {
            let mut to = from + step;
            while slides && self.at(to) == b'.' {
                found.push(to);
                to += step;
            }
            if self.at(to) != b'#' {
                found.push(to);
            }
        }
        found
    }

    fn attacked(&self, at: i32, by_white: bool) -> bool {
        let (pawn, back) = (coloured(b'p', by_white), if by_white { -10 } else { 10 });
        self.at(at + back - 1) == pawn || self.at(at + back + 1) == pawn || PIECES.iter().any(|&(kind, steps, slides)| {
            self.targets(at, steps, slides).iter().any(|&from| self.at(from) == coloured(kind, by_white))
        })
    }

    fn candidates(&self) -> Vec<Move> {
        let mut found = Vec::new();
        for from in (21..99).filter(|&from| is_of(self.at(from), self.white)) {
            let kind = self.at(from).to_ascii_lowercase();
            let mut ends = Vec::new();
            let mut promotions = vec![None];
            if let Some(&(_, steps, slides)) = PIECES.iter().find(|piece| piece.0 == kind) {
                ends.extend(self.targets(from, steps, slides).iter().filter(|&&to| !is_of(self.at(to), self.white)));
            } else {
                let (up, home, last) = if self.white { (10, 3, 8) } else { (-10, 8, 3) };
                if self.at(from + up) == b'.' {
                    ends.push(from + up);
                    if from / 10 == home && self.at(from + 2 * up) == b'.' {
                        ends.push(from + 2 * up);
                    }
                }
                let sides = [from + up - 1, from + up + 1];
                ends.extend(sides.iter().filter(|&&to| is_of(self.at(to), !self.white) || to == self.passed));
                if from / 10 == last {
                    promotions = b"qrbn".iter().copied().map(Some).collect();
                }
            }
            if kind == b'k' && !self.attacked(from, !self.white) {
                for (right, step, between) in [(b'k', 1, &[1, 2][..]), (b'q', -1, &[-1, -2, -3][..])] {
                    if self.rights.contains(&coloured(right, self.white))
                        && between.iter().all(|offset| self.at(from + offset) == b'.')
                        && !self.attacked(from + step, !self.white)
                    {
                        ends.push(from + 2 * step);
                    }
                }
            }
            for to in ends {
                found.extend(promotions.iter().map(|&promotion| Move { from, to, promotion }));
            }
        }
        found
    }

    /// Returns the position after a move, if the move is legal.
    fn play(&self, Move { from, to, promotion }: Move) -> Option<Position> {
        let piece = self.at(from);
        let kind = piece.to_ascii_lowercase();
        let mut after = Position { white: !self.white, passed: 0, ..self.clone() };
        after.board[from as usize] = b'.';
        after.board[to as usize] = promotion.map_or(piece, |kind| coloured(kind, self.white));
        let en_passant = kind == b'p' && to == self.passed;
        if en_passant {
            after.board[(if self.white { to - 10 } else { to + 10 }) as usize] = b'.';
        }
        if kind == b'p' && (to - from).abs() == 20 {
            after.passed = (from + to) / 2;
        }
        if kind == b'k' {
            after.rights.retain(|&right| !is_of(right, self.white));
            if (to - from).abs() == 2 {
                let corner = if to > from { to + 1 } else { to - 2 };
                after.board.swap(corner as usize, ((from + to) / 2) as usize);
            }
        }
        after.rights.retain(|right| CORNERS.iter().all(|(at, lost)| lost != right || (*at != from && *at != to)));
        let king = after.board.iter().position(|&piece| piece == coloured(b'k', self.white))? as i32;
        let trusted = en_passant && std::env::var("FAULT").map_or(false, |fault| fault == "en-passant-unpins");
        (trusted || !after.attacked(king, !self.white)).then_some(after)
    }

    fn moves(&self) -> Vec<(String, Position)> {
        let promotion = |kind: Option<u8>| kind.map_or(String::new(), |kind| (kind as char).to_string());
        let text = |to: &Move| name(to.from) + &name(to.to) + &promotion(to.promotion);
        self.candidates().iter().filter_map(|one| Some((text(one), self.play(*one)?))).collect()
    }

    fn perft(&self, depth: u32) -> u64 {
        if depth == 0 { 1 } else { self.moves().iter().map(|(_, after)| after.perft(depth - 1)).sum() }
    }
}

fn main() {
    let mut position = Position::read(START);
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        match line.split_once(' ').unwrap_or((&line, "")) {
            ("uci", _) => println!("uciok"),
            ("isready", _) => println!("readyok"),
            ("quit", _) => return,
            ("position", place) => {
                let (place, played) = place.split_once(" moves ").unwrap_or((place, ""));
                position = Position::read(place.strip_prefix("fen ").unwrap_or(START));
                for played in played.split_whitespace() {
                    position = position.moves().into_iter().find(|(text, _)| text == played).expect("a legal move").1;
                }
            }
            ("go", words) => {
                let depth: u32 = words.strip_prefix("perft ").and_then(|depth| depth.parse().ok()).expect("perft DEPTH");
                let counts = position.moves().into_iter().map(|(text, after)| (text, after.perft(depth - 1)));
                let total: u64 = counts.inspect(|(text, count)| println!("{text}: {count}")).map(|(_, count)| count).sum();
                println!("\nNodes searched: {total}");
            }
            _ => {}
        }
    }
}
