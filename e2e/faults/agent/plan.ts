import { usualAnswers, type PlannedAnswer } from '../answers.ts';
import { createRandom, type Random } from '../../harness/random.ts';

/** What a message makes the model do; `several` has two steps, `delegate` two sub-agents, `plan` two tasks. */
const modelWorks = [
  ...(['talk', 'shell', 'edit', 'read', 'several', 'question', 'ring'] as const),
  ...(['delegate', 'background', 'plan'] as const),
] as const;
/** `coding`: a command of a coding agent on the machine, between two sentences. */
export const works = [...modelWorks, 'coding'] as const;
export type Work = (typeof works)[number];

/** What happens to the first model call for a message. */
export const modelFaults = ['busy', 'fails', 'refuses', 'cut', 'no-finish', 'silent', 'slow'] as const;
/** `always-slow`: every call for it, in a takeover. */
export type ModelFault = (typeof modelFaults)[number] | 'always-slow';

export interface PlannedMessage {
  kind: 'message';
  user: number;
  thread: string;
  work: Work;
  /** One name for each effect that the work may have. */
  ops: string[];
  takesMs: number;
  mode: 'reject' | 'queue' | 'steer';
  answer: PlannedAnswer;
  answerAfterMs: number;
  /** Where the machine's questions are answered: in the chat, or in the list of questions. */
  door: 'chat' | 'list';
  model: ModelFault | null;
}

export const windows = ['fails', 'cut'] as const;

export type AgentStep = { atMs: number } & (
  | PlannedMessage
  | { kind: 'thread'; user: number; thread: string; act: 'stop' | 'continue' | 'resume' }
  /** For so long every model call ends like this. */
  | { kind: 'model'; fault: (typeof windows)[number]; forMs: number }
);

const opsEach = 3;
const firstOp = 500_000;
const threadsEach = 2;
/** Then the next thread begins: a thread keeps its newest events alone. */
const messagesPerThread = 12;

const message = (random: Random, n: number, user: number): Omit<PlannedMessage, 'thread'> => ({
  kind: 'message',
  user,
  work: random.pick([...modelWorks, 'shell', 'edit', 'several'] as const),
  ops: Array.from({ length: opsEach }, (_, at) => `op-${firstOp + n * opsEach + at}`),
  takesMs: random.pick([0, 100, 500, 1_500, 4_000]),
  mode: random.pick(['reject', 'queue', 'queue', 'steer'] as const),
  answer: random.pick(usualAnswers),
  answerAfterMs: random.pick([0, 0, 200, 1_000, 3_000]),
  door: random.pick(['chat', 'list'] as const),
  model: random.chance(0.25) ? random.pick(modelFaults) : null,
});

const firstCodingOp = 700_000;

/** What people have coding agents do, each in threads of its own. */
const createCodingPlan = (seed: number, users: number, forMs: number): AgentStep[] => {
  const random = createRandom(seed ^ 0x2545f491);
  const steps: AgentStep[] = [];
  for (let atMs = 3_000, n = 1; atMs < forMs; atMs += random.whole(500, 6_000), n += 1) {
    const user = random.whole(0, users - 1);
    const thread = `coding-${user}-${Math.floor(n / (users * messagesPerThread))}`;
    const ops = [`op-${firstCodingOp + n}`];
    const mode = random.pick(['reject', 'queue', 'queue'] as const);
    steps.push({ atMs, thread, ...message(random, n, user), work: 'coding', ops, mode, model: null });
    if (random.chance(0.3)) {
      const act = random.pick(['stop', 'continue', 'resume'] as const);
      steps.push({ atMs: atMs + random.whole(0, 3_000), kind: 'thread', user, thread, act });
    }
  }
  return steps.filter((step) => step.atMs < forMs);
};

/** Everything that people do in their chats, and what happens to the model, in order of time. Pure. */
export const createAgentPlan = (seed: number, users: number, forMs: number): AgentStep[] => {
  // Numbers of its own: calls and faults of a seed stay what they are.
  const random = createRandom(seed ^ 0x5f3759df);
  const sent = new Map<string, number>();
  const slotOf = (user: number) => `${user}-${random.whole(0, threadsEach - 1)}`;
  const threadIn = (slot: string) =>
    `thread-${slot}-${Math.floor((sent.get(slot) ?? 0) / messagesPerThread)}`;
  const steps = createCodingPlan(seed, users, forMs);
  for (let atMs = 1_000, n = 1; atMs < forMs; atMs += random.whole(200, 2_400), n += 1) {
    const user = random.whole(0, users - 1);
    const slot = slotOf(user);
    const thread = threadIn(slot);
    sent.set(slot, (sent.get(slot) ?? 0) + 1);
    steps.push({ atMs, thread, ...message(random, n, user) });
    if (random.chance(0.3)) {
      const act = random.pick(['stop', 'stop', 'continue', 'resume'] as const);
      steps.push({ atMs: atMs + random.whole(0, 150), kind: 'thread', user, thread, act });
    }
  }
  for (let atMs = 5_000; atMs < forMs; atMs += random.whole(5_000, 30_000))
    steps.push({ atMs, kind: 'model', fault: random.pick(windows), forMs: random.whole(500, 6_000) });
  return steps;
};
