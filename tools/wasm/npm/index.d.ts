/** A FEN of 4 to 6 fields, or a name: "startpos", "kiwipete", "position3", … "position6". */
export type Fen = string;

/** The progress of a count. */
export interface Progress {
  event: 'progress';
  /** Seconds since the count began. */
  seconds: number;
  /** The current step; "counting" most of the time. */
  phase: string;
  /** The share of this phase that is done, 0 to 1; null if unknown. */
  fraction: number | null;
  /** Number of finished subtrees or ranges. */
  units_done: number;
  /** Number of all subtrees or ranges; 0 if not yet known. */
  units_total: number;
  leaves_per_second?: number;
  visited_per_second?: number;
  /**
   * An estimate of the remaining seconds of this phase. Null until half a second and a fifth of the phase have passed;
   * after five seconds, a twentieth may be enough. Null again when less than 0.25 s is left, or if the count takes
   * longer than expected.
   */
  seconds_left?: number | null;
}

export interface PositionOptions {
  /** Moves to play first: "e2e4 e7e5", "1. e4 e5 2. Nf3", or a list. */
  moves?: string | readonly string[];
  /** Write castling as king takes rook, even if the position does not require it. */
  chess960?: boolean;
  /** Ends the work when aborted. The promise is then rejected with the signal's reason. */
  signal?: AbortSignal;
}

export interface CountOptions extends PositionOptions {
  /**
   * Size of the transposition table in bytes, less than 2^53; 0 for no table. Default: the size that the count can use.
   */
  hash?: number | bigint;
  /** Seed of the table's random keys, less than 2^53. */
  keySeed?: number;
  /** Name of a counting kernel: "portable". */
  kernel?: string;
  /** Called about four times per second. If it throws, the count ends and the promise is rejected with its error. */
  onProgress?: (progress: Progress) => void;
}

export interface SharedOptions extends CountOptions {
  /**
   * Number of workers that share a count: 1 to 1024, default 1. Each worker has its own matrices or table. Small counts
   * and the method "unhashed" use only one worker.
   */
  workers?: number;
}

export interface PerftOptions extends SharedOptions {
  /** The method of counting. The counts do not depend on it. */
  method?: 'auto' | 'hashed' | 'unhashed' | 'configurations';
}

/** A document as `manyply … --format json` prints it, except that counts are bigints. */
export type Document = { fen: string; [name: string]: unknown };

export type Verdict = 'match' | 'mismatch' | 'unknown';

export interface Divided {
  total: bigint;
  /** The count of each move, in UCI notation, sorted by the move's text. */
  moves: Record<string, bigint>;
  /** The document of the count. Absent if several workers shared the count. */
  document?: Document & { depth: number; nodes: bigint; known: Verdict };
  /** The method. Present if several workers shared the count. */
  method?: 'configurations' | 'hashed';
  /** Present if something unusual happened, such as too little memory for the table. */
  note?: string;
}

/** Returns perft: the number of move sequences of `depth` plies. */
export function perft(fen: Fen, depth: number, options?: PerftOptions): Promise<bigint>;

/** Returns perft(depth - 1) after each legal move. */
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
/** Counts the kinds of moves in the last ply: captures, checks, mates and so on. */
export function stats(fen: Fen, depth: number, options?: CountOptions): Promise<Statistics>;

export interface Unique extends Document {
  plies: { ply: number; distinct: bigint; paths: bigint; known: Verdict }[];
  verdict: Verdict;
}
/** Counts the distinct positions of each ply. Workers share the last ply. */
export function unique(fen: Fen, depth: number, options?: SharedOptions): Promise<Unique>;

export interface Estimate extends Document {
  depth: number;
  estimate: number;
  confidence: number;
  low: number;
  high: number;
  exact: boolean;
  verdict: Verdict | 'inside' | 'outside';
}
/** Estimates perft from random samples, with a 99 % confidence interval. */
export function estimate(fen: Fen, depth: number,
                         options?: CountOptions & { samples?: number; seed?: number }): Promise<Estimate>;

export interface Verified extends Document {
  depth: number;
  agrees: boolean;
  subtrees: number;
  verdict: 'agree' | 'differ';
}
/**
 * Counts with a table. If possible, also counts by configurations. Then counts every subtree again without a table, and
 * compares the counts.
 */
export function verify(fen: Fen, depth: number, options?: CountOptions): Promise<Verified>;

export interface LegalMove {
  uci: string;
  san: string;
}
/** Returns the legal moves, sorted by `uci`. Empty in mate and stalemate. */
export function legalMoves(fen: Fen, options?: PositionOptions): Promise<LegalMove[]>;

export interface Played {
  /** The position after the moves. Its move counters continue those of the given FEN. */
  fen: string;
  check: boolean;
  over: null | 'mate' | 'stalemate';
}
/** Plays moves in UCI notation or SAN. */
export function play(fen: Fen, moves: string | readonly string[],
                     options?: { chess960?: boolean; signal?: AbortSignal }): Promise<Played>;

export interface SuiteResult {
  /** Line of the text, from 1. */
  line: number;
  fen: string;
  tags: string[];
  depth: number;
  expected: bigint;
  counted: bigint;
  agrees: boolean;
}
export interface SuiteOptions extends Omit<PerftOptions, 'moves' | 'onProgress'> {
  /** Skips counts whose expected value is larger than this. */
  maxNodes?: number | bigint;
  onResult?: (result: SuiteResult) => void;
}
export interface SuiteReport {
  /** True if all lines were read, at least one count was made, and all counts agree. */
  agrees: boolean;
  results: SuiteResult[];
  skipped: number;
  refused: { line: number; message: string }[];
}
/**
 * Counts the positions of a suite and compares the counts with the expected ones. The text has lines of EPD ("FEN ;D1
 * 20 ;D2 400") or is a table.
 */
export function suite(text: string, options?: SuiteOptions): Promise<SuiteReport>;

/** A question that `bisect` asks the engine. */
export interface EngineQuestion {
  event: 'question';
  /** The number of the question; the first is 1. */
  number: number;
  depth: number;
  /** The moves after the position, in UCI notation, separated by spaces. */
  moves?: string;
}
export interface BisectOptions extends PositionOptions {
  /** The position; default "startpos". */
  fen?: Fen;
  /** The engine's command line, which a shell runs. */
  engine: string;
  /** A file, or the name of a built-in suite: "classic", "tricky", "chess960", "deep", "corpus". */
  suite?: string;
  /** Skips counts of the suite that are larger than this. */
  maxNodes?: number;
  /** The number of different causes after which the search ends. Default 1. */
  causes?: number;
  /** The protocol of the engine; see `manyply help engines`. Default "auto". */
  dialect?: 'auto' | 'stockfish' | 'lines' | 'juddperft';
  /** Time limit for each answer of the engine, in seconds. */
  timeout?: number;
  /** Called for each question to the engine, and with the progress of long counts of our own. */
  onProgress?: (event: EngineQuestion | Progress) => void;
}
export interface Bisected {
  agrees: boolean;
  /** The documents that `manyply bisect --format json` prints, one for each position; counts are text. */
  reports: Record<string, unknown>[];
}
/** Finds the move that an engine's move generator gets wrong. Works only in Node, because it starts the engine. */
export function bisect(depth: number, options: BisectOptions): Promise<Bisected>;

/**
 * The input is invalid ("invalid_input", "illegal"), the request cannot be met ("unavailable", "overflow"), the count
 * was cancelled ("cancelled"), or the package has a bug ("internal").
 */
export class ManyplyError extends Error {
  readonly code: 'invalid_input' | 'illegal' | 'overflow' | 'cancelled' | 'unavailable' | 'internal';
  /** The part of the input that is wrong, such as "castling". */
  readonly field: string;
  /** The column in the text that was read, from 1; 0 if none. */
  readonly column: number;
}

/** Ends idle workers, which are kept for the next call, and frees their memory. */
export function close(): void;
