// A user's program. It is compiled against the package's types, but it is not run.
import { bisect, divide, estimate, legalMoves, ManyplyError, perft, play, stats, suite, unique, verify } from 'manyply';

const nodes: bigint = await perft('startpos', 6, { moves: ['e2e4'], signal: AbortSignal.timeout(1000), workers: 2 });
const { total, moves } = await divide('kiwipete', 2, { hash: 1 << 20, onProgress: ({ fraction }) => fraction ?? 0 });
const sum: bigint = Object.values(moves).reduce((all, one) => all + one, 0n);
const { captures, mates }: { captures: bigint; mates: bigint } = await stats('startpos', 4);
const distinct: bigint[] = (await unique('startpos', 3, { workers: 2 })).plies.map((ply) => ply.distinct);
const low: number = (await estimate('startpos', 9, { samples: 1000, seed: 1 })).low;
const agrees: boolean = (await verify('startpos', 5)).agrees;
const texts: string[] = (await legalMoves('startpos')).map(({ san }) => san);
const over: null | 'mate' | 'stalemate' = (await play('startpos', 'e4 e5')).over;
const right: boolean = (await suite('startpos ;D1 20', { maxNodes: 1_000_000n })).agrees;
const found: boolean = (await bisect(4, { engine: 'node engine.js', causes: 2 })).agrees;
const field = (error: unknown): string => (error instanceof ManyplyError ? `${error.code} ${error.field} ${error.column}` : '');

// @ts-expect-error: a depth is not a text
await perft('startpos', '6');
// @ts-expect-error: there is no such option
await perft('startpos', 6, { thread: 2 });
// @ts-expect-error: an engine is needed
await bisect(4, {});

export { nodes, total, sum, captures, mates, distinct, low, agrees, texts, over, right, found, field };
