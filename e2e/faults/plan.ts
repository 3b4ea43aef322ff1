import { createAgentPlan, type AgentStep } from './agent/plan.ts';
import { usualAnswers } from './answers.ts';
import { commandTools, createCommandsPlan, type PlannedCommand } from './commands/plan.ts';
import { createRpcPlan, type RpcStep } from './rpc/plan.ts';
import { createRandom, type Random } from '../harness/random.ts';
import { createServersPlan, createTakeovers, type ServersFault } from './servers/plan.ts';

/** A tool of the daemon: a command that leaves marks, an edit that can be counted, a read; commands of `commands`. */
export const tools = ['shell', 'edit', 'read', ...commandTools] as const;
export type PlannedTool = (typeof tools)[number];

export interface PlannedCall extends Omit<PlannedCommand, 'tool'> {
  tool: PlannedTool;
}

/** `up` is from the daemon to the server. */
export const linkFaults = [
  'cut',
  'refuse',
  'hold-up',
  'hold-down',
  'lose-up',
  'lose-down',
  'delay',
  'repeat',
  'truncate-up',
  'truncate-down',
] as const;
export type LinkFault = (typeof linkFaults)[number];

export type Fault =
  | ServersFault
  | ({ atMs: number } & (
      | { kind: 'daemon'; user: number; fault: 'kill' | 'stop'; forMs: number }
      | { kind: 'link'; user: number; fault: LinkFault; forMs: number }
      /** Disconnects in the panel, tries the revoked credentials, pairs again. */
      | { kind: 'pair-again'; user: number }
      /** A second daemon with a copy of the first one's private folder. */
      | { kind: 'twin'; user: number; forMs: number }
    ));

export type Step = ({ atMs: number } & PlannedCall) | Fault | AgentStep | RpcStep;

export interface PlanOptions {
  seed: number;
  users: number;
  servers: number;
  /** How long steps are begun. */
  forMs: number;
  /** Kinds of steps that are left out; the others stay where they are. */
  without: string[];
}

const call = (random: Random, n: number, users: number): PlannedCall => {
  const op = `op-${String(n).padStart(6, '0')}`;
  const ends = random.whole(1, 10);
  const answer = random.pick(usualAnswers);
  return {
    kind: 'call',
    op,
    user: random.whole(0, users - 1),
    tool: random.pick(['shell', 'shell', 'shell', 'edit', 'edit', 'read']),
    takesMs: random.pick([0, 0, 100, 500, 1_500, 1_500, 4_000, 8_000]),
    answer,
    answerAfterMs: random.pick([0, 0, 200, 1_000, 3_000]),
    cancelAfterMs:
      ends === 1 ? random.whole(0, 3_000) : answer === 'never' ? random.whole(5_000, 15_000) : null,
    leaveAfterMs: ends === 2 ? random.whole(0, 3_000) : null,
  };
};

const fault = (random: Random, users: number): Fault => {
  const user = random.whole(0, users - 1);
  const atMs = 0;
  const kind = random.pick(['server', 'daemon', 'daemon', 'link', 'link', 'link', 'link', 'link', 'rare']);
  switch (kind) {
    case 'server':
      return random.chance(0.6)
        ? { atMs, kind, server: 0, fault: 'kill', forMs: random.whole(0, 3_000) }
        : { atMs, kind, server: 0, fault: 'stop', forMs: random.whole(200, 8_000) };
    case 'daemon':
      return random.chance(0.6)
        ? { atMs, kind, user, fault: 'kill', forMs: random.whole(0, 3_000) }
        : { atMs, kind, user, fault: 'stop', forMs: random.whole(200, 12_000) };
    case 'link':
      return { atMs, kind, user, fault: random.pick(linkFaults), forMs: random.whole(100, 8_000) };
    default:
      return random.chance(0.5)
        ? { atMs, kind: 'pair-again', user }
        : { atMs, kind: 'twin', user, forMs: random.whole(2_000, 6_000) };
  }
};

/** Everything that a run begins, in order of time. Pure: the seed settles it. */
export const createPlan = ({ seed, users, servers, forMs, without }: PlanOptions): Step[] => {
  const random = createRandom(seed);
  const steps: Step[] = [
    ...createAgentPlan(seed, users, forMs),
    ...createRpcPlan(seed, users, forMs),
    ...createCommandsPlan(seed, users, forMs),
  ];
  for (let atMs = 0, n = 1; atMs < forMs; atMs += random.whole(20, 460), n += 1) {
    steps.push({ atMs, ...call(random, n, users) });
  }
  for (let atMs = 2_000; atMs < forMs; atMs += random.whole(200, 2_200)) {
    const step = { ...fault(random, users), atMs };
    // Several servers have faults of their own.
    if (servers === 1 || step.kind !== 'server') steps.push(step);
  }
  if (servers > 1)
    steps.push(...createServersPlan(seed, servers, forMs), ...createTakeovers(seed, users, forMs));
  return steps.filter((step) => !without.includes(step.kind)).sort((one, other) => one.atMs - other.atMs);
};
