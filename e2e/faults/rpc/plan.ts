import { laneModes, type LaneMode } from '@drawbridge/contracts/agent/lanes';
import { usualAnswers, type PlannedAnswer } from '../answers.ts';
import { createRandom, type Random } from '../../harness/random.ts';

/** The two clients of a user: one with a token, one by a ticket. */
export const callers = ['token', 'person'] as const;
export type CallerKind = (typeof callers)[number];

/** What the model does for a message of a client: nothing that the agent itself asks about. */
export const rpcWorks = ['talk', 'shell', 'edit', 'read', 'several'] as const;

/** The tools that they call themselves. */
const executed = ['shell', 'edit', 'read'] as const;

interface Asked {
  user: number;
  by: CallerKind;
  takesMs: number;
  answer: PlannedAnswer;
  answerAfterMs: number;
}

export interface PlannedSend extends Asked {
  kind: 'rpc-send';
  session: string;
  work: (typeof rpcWorks)[number];
  ops: string[];
  mode: LaneMode;
}

export interface PlannedExecute extends Asked {
  kind: 'rpc-execute';
  op: string;
  tool: (typeof executed)[number];
}

export type RpcStep = { atMs: number } & (
  | PlannedSend
  | PlannedExecute
  | { kind: 'rpc-cancel'; user: number; by: CallerKind; session: string }
  /** The socket is cut, or not read for so long. */
  | { kind: 'rpc-drop'; user: number; by: CallerKind; pauseMs: number | null }
);

const firstOp = 800_000;
const opsEach = 3;

const asked = (random: Random, users: number): Asked => ({
  user: random.whole(0, users - 1),
  by: random.pick(callers),
  takesMs: random.pick([0, 0, 100, 500, 1_500]),
  answer: random.pick(usualAnswers.filter((answer) => answer !== 'never')),
  answerAfterMs: random.pick([0, 0, 200, 1_000]),
});

/** What clients of the JSON-RPC door do, in order of time. Pure. */
export const createRpcPlan = (seed: number, users: number, forMs: number): RpcStep[] => {
  // Numbers of its own: what else happens in a seed stays what it is.
  const random = createRandom(seed ^ 0x2545f491);
  const steps: RpcStep[] = [];
  for (let atMs = 1_500, n = 0; atMs < forMs; atMs += random.whole(100, 2_000), n += 1) {
    const [op = '', ...ops] = Array.from({ length: opsEach }, (_, at) => `op-${firstOp + n * opsEach + at}`);
    const session = `cli:${random.whole(0, 1)}`;
    const own = asked(random, users);
    const { user, by } = own;
    const number = random.whole(1, 10);
    if (number <= 4) steps.push({ atMs, kind: 'rpc-execute', op, tool: random.pick(executed), ...own });
    else if (number <= 8) {
      const [work, mode] = [random.pick(rpcWorks), random.pick(laneModes)];
      steps.push({ atMs, kind: 'rpc-send', session, work, ops: [op, ...ops], mode, ...own });
    } else if (number === 9) steps.push({ atMs, kind: 'rpc-cancel', user, by, session });
    else {
      const pauseMs = random.chance(0.3) ? random.whole(500, 4_000) : null;
      steps.push({ atMs, kind: 'rpc-drop', user, by, pauseMs });
    }
  }
  return steps;
};
