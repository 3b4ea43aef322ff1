import { createRandom, type Random } from '../../harness/random.ts';

/** What happens to several servers and to what they share. `server` counts from 0. */
export type ServersFault = { atMs: number } & (
  | { kind: 'server'; server: number; fault: 'kill' | 'stop' | 'drain'; forMs: number }
  | { kind: 'redis'; fault: 'kill' | 'stop'; forMs: number }
  /** A crash ends all connections, and takes what was not synced. */
  | { kind: 'postgres'; fault: 'stop' | 'crash'; forMs: number }
  /** Nothing passes between a server and the other program, and arrives late. */
  | { kind: 'cut'; server: number; fault: 'redis' | 'postgres'; forMs: number }
  | PlannedTakeover
);

/** What the server with the stream of a user has is taken by others while it is held still, with work before it. */
export interface PlannedTakeover {
  kind: 'takeover';
  user: number;
  fault: 'streams' | 'threads';
  /** One for each call, or message, that it has got. */
  ops: string[];
}

/** Longer than the others wait until they take a server for dead. */
const longestMs = 20_000;

type OtherFault = Exclude<ServersFault, { kind: 'takeover' }>;

const fault = (random: Random, servers: number): OtherFault => {
  const atMs = 0;
  const server = random.whole(0, servers - 1);
  const kind = random.pick([
    'server',
    'server',
    'server',
    'server',
    'redis',
    'postgres',
    'cut',
    'cut',
  ] as const);
  switch (kind) {
    case 'server': {
      const how = random.pick(['kill', 'stop', 'drain'] as const);
      const forMs = how === 'stop' ? random.whole(200, longestMs) : random.whole(0, 4_000);
      return { atMs, kind, server, fault: how, forMs };
    }
    case 'redis':
      return { atMs, kind, fault: random.pick(['kill', 'stop'] as const), forMs: random.whole(500, 8_000) };
    case 'postgres':
      return random.chance(0.5)
        ? { atMs, kind, fault: 'crash', forMs: 0 }
        : { atMs, kind, fault: 'stop', forMs: random.whole(200, 6_000) };
    case 'cut': {
      const from = random.pick(['redis', 'postgres'] as const);
      return { atMs, kind, server, fault: from, forMs: random.whole(500, longestMs) };
    }
    default:
      return kind satisfies never;
  }
};

/** What happens to several servers, in order of time. Pure. */
export const createServersPlan = (seed: number, servers: number, forMs: number): ServersFault[] => {
  // Numbers of its own: what else happens in a seed stays what it is.
  const random = createRandom(seed ^ 0x3c6ef372);
  const steps: ServersFault[] = [];
  for (let atMs = 3_000; atMs < forMs; atMs += random.whole(1_000, 9_000))
    steps.push({ ...fault(random, servers), atMs });
  return steps;
};

const firstOp = 600_000;
const opsEach = 36;
const threadsAfterMs = 10_000;

/** In order of time. Pure. */
export const createTakeovers = (seed: number, users: number, forMs: number): ServersFault[] => {
  // Numbers of its own: what else happens in a seed stays what it is.
  const random = createRandom(seed ^ 0x1b873593);
  const steps: ServersFault[] = [];
  for (let beginMs = 4_000; beginMs < forMs; beginMs += random.whole(40_000, 80_000))
    for (const fault of ['streams', 'threads'] as const) {
      const first = firstOp + steps.length * opsEach;
      const ops = Array.from({ length: opsEach }, (_, at) => `op-${first + at}`);
      const atMs = fault === 'streams' ? beginMs : beginMs + threadsAfterMs;
      steps.push({ atMs, kind: 'takeover', user: random.whole(0, users - 1), fault, ops });
    }
  return steps.filter(({ atMs }) => atMs < forMs);
};
