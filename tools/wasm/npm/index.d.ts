/** A FEN of 4 to 6 fields, or a name: "startpos", "kiwipete", "position3", … "position6". */
export type Fen = string;

/** How far a count is, now and then. */
export interface Progress {
  event: 'progress';
  seconds: number;
  /** "counting", most of the time. */
  phase: string;
  /** Of this phase, 0 to 1; null while that is not known. */
  fraction: number | null;
  units_done: number;
  units_total: number;
  leaves_per_second?: number;
  visited_per_second?: number;
  seconds_left?: number | null;
}

export interface PositionOptions {
  /** Played first: "e2e4 e7e5", "1. e4 e5 2. Nf3", or a list. */
  moves?: string | readonly string[];
  /** Write castling as king takes rook, even if the position does not need it. */
  chess960?: boolean;
  /** Ends the work; the promise is rejected with the signal's reason. */
  signal?: AbortSignal;
}

export interface CountOptions extends PositionOptions {
  /** Bytes of the transposition table, less than 2^53; 0 for none. What the count can use, if it is left out. */
  hash?: number | bigint;
  /** Seed of the table's random keys, less than 2^53. */
  keySeed?: number;
  /** A counting kernel's name, "portable". */
  kernel?: string;
  onProgress?: (progress: Progress) => void;
}

export interface PerftOptions extends CountOptions {
  /** How it is counted; the number is the same. */
  method?: 'auto' | 'hashed' | 'unhashed' | 'configurations';
  /** Workers, at most 1024, that share a count by the methods "auto" and "hashed", each with a table of its own; 1 if it is
   *  left out. */
  workers?: number;
}

/** A document as `manyply … --format json` prints it, with each count as a bigint. */
export type Document = { fen: string; [name: string]: unknown };

export type Verdict = 'match' | 'mismatch' | 'unknown';

export interface Divided {
  total: bigint;
  /** By move, in UCI, sorted by the move's text. */
  moves: Record<string, bigint>;
  /** Of a count by one worker. */
  document?: Document & { depth: number; nodes: bigint; known: Verdict };
  /** What did not go as usual: memory that could not be had. */
  note?: string;
}

/** Number of move paths of `depth` plies. */
export function perft(fen: Fen, depth: number, options?: PerftOptions): Promise<bigint>;

/** The same behind each legal move. */
export function divide(fen: Fen, depth: number, options?: PerftOptions): Promise<Divided>;

export interface Statistics extends Document {
  depth: number;
  nodes: bigint;
  captures: bigint;
  en_passants: bigint;
  castles: bigint;
  promotions: bigint;
  direct_checks: bigint;
  discovered_checks: bigint;
  double_discovered_checks: bigint;
  checks: bigint;
  mates: bigint;
  verdict: Verdict;
}
/** Captures, checks, mates … of the last ply. */
export function stats(fen: Fen, depth: number, options?: CountOptions): Promise<Statistics>;

export interface Unique extends Document {
  plies: { ply: number; distinct: bigint; paths: bigint; known: Verdict }[];
  verdict: Verdict;
}
/** Distinct positions of each ply. */
export function unique(fen: Fen, depth: number, options?: CountOptions): Promise<Unique>;

export interface Estimate extends Document {
  depth: number;
  estimate: number;
  confidence: number;
  low: number;
  high: number;
  exact: boolean;
  verdict: Verdict | 'inside' | 'outside';
}
/** From samples, with an interval of 99 %. */
export function estimate(fen: Fen, depth: number,
                         options?: CountOptions & { samples?: number; seed?: number }): Promise<Estimate>;

export interface Verified extends Document {
  depth: number;
  agrees: boolean;
  subtrees: number;
  verdict: 'agree' | 'differ';
}
/** Hashed, and then every subtree again without a table. */
export function verify(fen: Fen, depth: number, options?: CountOptions): Promise<Verified>;

export interface LegalMove {
  uci: string;
  san: string;
}
/** Sorted by `uci`. None in mate and stalemate. */
export function legalMoves(fen: Fen, options?: PositionOptions): Promise<LegalMove[]>;

export interface Played {
  /** The position after the moves; the counters at its end, which no count depends on, are 0 and 1. */
  fen: string;
  check: boolean;
  over: null | 'mate' | 'stalemate';
}
/** Plays moves, in UCI or SAN. */
export function play(fen: Fen, moves: string | readonly string[],
                     options?: { chess960?: boolean; signal?: AbortSignal }): Promise<Played>;

export interface SuiteResult {
  /** Of the text, from 1. */
  line: number;
  fen: string;
  tags: string[];
  depth: number;
  expected: bigint;
  counted: bigint;
  agrees: boolean;
}
export interface SuiteOptions extends Omit<PerftOptions, 'moves' | 'onProgress'> {
  /** Larger counts are skipped. */
  maxNodes?: number | bigint;
  onResult?: (result: SuiteResult) => void;
}
export interface SuiteReport {
  /** All lines were read, and all counts agree, of which there is one at least. */
  agrees: boolean;
  results: SuiteResult[];
  skipped: number;
  refused: { line: number; message: string }[];
}
/** Counts what a suite expects: lines of EPD ("FEN ;D1 20 ;D2 400"), or a table. */
export function suite(text: string, options?: SuiteOptions): Promise<SuiteReport>;

export interface BisectOptions extends PositionOptions {
  /** The position; "startpos" if it is left out. */
  fen?: Fen;
  /** The engine's command line, for the shell. */
  engine: string;
  /** A file, or a suite that is built in: "classic", "tricky", "chess960", "deep", "corpus". */
  suite?: string;
  maxNodes?: number;
  /** Go on until so many different causes are found. */
  causes?: number;
  dialect?: 'auto' | 'stockfish' | 'lines' | 'juddperft';
  /** Seconds the engine may take for each answer. */
  timeout?: number;
  onProgress?: (progress: Progress) => void;
}
export interface Bisected {
  agrees: boolean;
  /** As `manyply bisect --format json` prints them, with counts as text. */
  reports: Record<string, unknown>[];
}
/** Finds the move that an engine's generator gets wrong. In Node: it starts the engine. */
export function bisect(depth: number, options: BisectOptions): Promise<Bisected>;

/** What was asked makes no sense ("invalid_input", "illegal"), or cannot be had ("unavailable", "overflow"). */
export class ManyplyError extends Error {
  readonly code: 'invalid_input' | 'illegal' | 'overflow' | 'cancelled' | 'unavailable' | 'internal';
  /** Of the input, "castling". */
  readonly field: string;
  /** In the text that was read, from 1; 0 if none. */
  readonly column: number;
}

/** Ends workers that are kept for the next question, and gives their memory back. */
export function close(): void;
