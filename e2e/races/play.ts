import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Call } from '@drawbridge/contracts/calls';
import { connectDaemon, run, startServer, type Processes } from '../harness/index.ts';
import { operations, type Operation } from './operations.ts';
import { createWorld, hiddenName, secret, snapshot, withSecret } from './world.ts';

export interface Race {
  /** How many calls of each tool did their work, and how many were refused. */
  counts: Record<string, { done: number; refused: number }>;
  /** How many times a link was put in place of a folder or a file. */
  swaps: number;
  /** What got through, in words; none is the only good number. */
  escapes: string[];
}

const totalOf = (call: Call): number => {
  const total = call.result?.structuredContent?.['totalMatches'];
  return typeof total === 'number' ? total : 0;
};

/** Secrets from outside the root in a call's result. No search term of this run occurs inside. */
const leakOf = ({ name, arguments: given }: Operation, call: Call): string[] => {
  const text = JSON.stringify([call.result, call.error]);
  const revealed = text.includes(secret) || text.includes(hiddenName);
  const counted = name === 'search_files' && totalOf(call) > 0;
  return revealed || counted ? [`${name} ${JSON.stringify(given)}: ${text.slice(0, 500)}`] : [];
};

const startSwapping = async (processes: Processes, pairs: string[]) => {
  const swapper = processes.start({
    command: process.execPath,
    args: [fileURLToPath(new URL('swapper.ts', import.meta.url)), ...pairs],
  });
  await swapper.says(/swapping/);
  return async (): Promise<number> => {
    swapper.signal('SIGTERM');
    const [, swaps] = await swapper.says(/swaps (\d+);/);
    return Number(swaps);
  };
};

/** Makes `count` calls of all file tools, `atOnce` at a time, while another process swaps their paths. */
export const race = async (
  processes: Processes,
  { count, atOnce }: { count: number; atOnce: number },
): Promise<Race> => {
  const { root, outside, home, kept, swapped } = createWorld();
  const before = { outside: snapshot(outside), kept: snapshot(kept) };
  const server = await startServer(processes);
  const person = await server.createOwner();
  await connectDaemon(processes, { person, url: server.url, root, home });
  const counts: Race['counts'] = {};
  const escapes: string[] = [];
  const waiting = operations(count);
  const worker = async () => {
    for (const operation of waiting) {
      const call = await run(person, operation.name, operation.arguments);
      const tool = (counts[operation.name] ??= { done: 0, refused: 0 });
      tool[call.state === 'succeeded' ? 'done' : 'refused'] += 1;
      escapes.push(...leakOf(operation, call));
    }
  };
  const stopSwapping = await startSwapping(processes, swapped);
  await Promise.all(Array.from({ length: atOnce }, worker));
  const swaps = await stopSwapping();
  const after = { outside: snapshot(outside), kept: snapshot(kept) };
  for (const place of ['outside', 'kept'] as const)
    if (after[place] !== before[place]) escapes.push(`${place} was changed`);
  escapes.push(...withSecret(root, 'kept').map((path) => `${path} holds what was beyond`));
  if (escapes.length === 0)
    for (const folder of [root, outside, home]) rmSync(folder, { recursive: true, force: true });
  return { counts, swaps, escapes };
};
