// Functions that need the whole command, because they start engines.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { ManyplyError } from './worker_pool.js';

const command = fileURLToPath(new URL('./bin/manyply.js', import.meta.url));

/**
 * Runs the command. Resolves to its exit code and its output. Interrupts the command when `signal` is aborted.
 */
export function runCommand(args, { input = '', signal, onProgress } = {}) {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [command, ...args], { stdio: 'pipe' });
    let out = '';
    let err = '';
    let line = '';
    let failure;
    child.stdout.setEncoding('utf8').on('data', (text) => { out += text; });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      const lines = (line + text).split('\n');
      line = lines.pop();
      for (const one of lines) {
        if (!one.startsWith('{"event":')) {
          err += `${one}\n`;
          continue;
        }
        try {
          if (failure === undefined) onProgress?.(JSON.parse(one));
        } catch (error) {
          failure = { error };
          child.kill('SIGINT');
        }
      }
    });
    const abort = () => child.kill('SIGINT');
    signal?.addEventListener('abort', abort, { once: true });
    child.on('error', reject);
    child.on('close', (code) => {
      signal?.removeEventListener('abort', abort);
      if (failure !== undefined) reject(failure.error);
      else signal?.aborted ? reject(signal.reason) : resolve({ code, out, err: err + line });
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

export async function bisect(depth, options) {
  const { engine, fen, moves, chess960, suite, maxNodes, causes, dialect, timeout, onProgress, signal } = options;
  const args = ['bisect', String(depth), '--engine', engine, '--format', 'json'];
  const add = (name, value) => { if (value !== undefined) args.push(`--${name}`, String(value)); };
  add('fen', fen);
  add('moves', Array.isArray(moves) ? moves.join(' ') : moves);
  add('suite', suite);
  add('max-nodes', maxNodes);
  add('causes', causes);
  add('dialect', dialect);
  add('timeout', timeout);
  if (chess960) args.push('--chess960');
  if (onProgress !== undefined) args.push('--progress', 'json');
  const { code, out, err } = await runCommand(args, { signal, onProgress });
  if (code > 1) {
    const [, field] = /^perft: ([a-z-]+): /m.exec(err) ?? ['', 'bisect'];
    const message = err.trim().replace(/^perft: /m, '');
    throw new ManyplyError({ code: field === 'engine' ? 'unavailable' : 'invalid_input', field, column: 0, message });
  }
  return { agrees: code === 0, reports: out.split('\n').filter((text) => text !== '').map((text) => JSON.parse(text)) };
}
