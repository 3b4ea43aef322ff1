import { sleep, systemClock } from '@drawbridge/kit';
import { join } from 'node:path';
import { effectsOf } from './agent/script.ts';
import type { AgentStep } from './agent/plan.ts';
import { createHistory, type History } from './history.ts';
import { prepareMarks } from './marks.ts';
import { createPlan, type Fault, type PlannedTool, type PlanOptions, type Step } from './plan.ts';
import type { RpcStep } from './rpc/plan.ts';
import { createServersPlayer } from './servers/play.ts';
import type { PlantName } from './servers/planted.ts';
import { takeOver } from './servers/takeover.ts';
import type { PlannedClicks } from './clicks.ts';
import { createWorld, type Party, type World } from './world.ts';

export interface PlayOptions extends PlanOptions {
  /** Empty; holds the history, the rows, what servers wrote, and the machines afterwards. */
  folder: string;
  /** The guard that the servers lack. */
  plant?: PlantName | null;
}

/** The server's minimum. */
const callMaxMs = 30_000;
/** Longer than everything that may still be waited for once the faults are over. */
const quietMs = 150_000;
/** How long the end of a run may take, while something still changes. */
const longestMs = 900_000;
const lookEveryMs = 500;

export const historyFile = (folder: string): string => join(folder, 'history.jsonl');

/** Does one thing at a time to each target: a step that finds its target taken is left out. */
const createTaken = () => {
  const taken = new Set<string>();
  return {
    whileFree: async (target: string, work: () => Promise<void>): Promise<void> => {
      if (taken.has(target)) return;
      taken.add(target);
      await work().finally(() => taken.delete(target));
    },
  };
};

const partyOf = (world: World, user: number): Party => {
  const party = world.parties[user];
  if (!party) throw new Error(`no user ${user}`);
  return party;
};

interface Stage {
  world: World;
  history: History;
}

const createFaultPlayer = (stage: Stage) => {
  const { world, history } = stage;
  const { whileFree } = createTaken();
  const playServers = createServersPlayer({ servers: world.servers, history, whileFree });
  const fault = (what: string, user: number | null, forMs: number) =>
    history.note({ type: 'fault', what, user, forMs });

  return async (step: Fault | Extract<AgentStep, { kind: 'model' }>): Promise<void> => {
    switch (step.kind) {
      case 'model':
        return whileFree('model', async () => {
          fault(`model ${step.fault}`, null, step.forMs);
          const end = world.model.begin(step.fault);
          await sleep(systemClock, step.forMs);
          end();
        });
      case 'server':
      case 'redis':
      case 'postgres':
      case 'cut':
        return playServers(step);
      case 'takeover': {
        const at = partyOf(world, step.user).proxy.serverOfStream();
        if (at === null) return;
        return whileFree(`server ${at}`, () => {
          fault(`takeover ${step.fault}`, step.user, 0);
          return takeOver(stage, at, step);
        });
      }
      case 'daemon':
        return whileFree(`machine ${step.user}`, () => {
          fault(`daemon ${step.fault}`, step.user, step.forMs);
          const { machine } = partyOf(world, step.user);
          return step.fault === 'kill' ? machine.kill(step.forMs) : machine.freeze(step.forMs);
        });
      case 'link':
        return whileFree(`link ${step.user}`, async () => {
          fault(`link ${step.fault}`, step.user, step.forMs);
          const end = partyOf(world, step.user).proxy.begin(step.fault);
          await sleep(systemClock, step.forMs);
          end();
        });
      case 'pair-again':
        return whileFree(`machine ${step.user}`, () => {
          fault('pair again', step.user, 0);
          return partyOf(world, step.user).machine.pairAgain();
        });
      case 'twin':
        return whileFree(`machine ${step.user}`, () => {
          fault('twin', step.user, step.forMs);
          return partyOf(world, step.user).machine.twin(step.forMs);
        });
      default:
        step satisfies never;
    }
  };
};

/** Puts the files of some ops in place, and plans the clicks on their questions. */
const prepare = (
  { world, history }: Stage,
  { user: number, ...planned }: PlannedClicks & { user: number; tool: PlannedTool },
) => {
  const { user, machine } = partyOf(world, number);
  prepareMarks(machine.root, planned.op);
  history.note({ type: 'asked', op: planned.op, user: number, tool: planned.tool });
  user.click(planned);
};

const playRpc = async (stage: Stage, step: RpcStep): Promise<void> => {
  const caller = partyOf(stage.world, step.user).callers[step.by];
  switch (step.kind) {
    case 'rpc-send':
      for (const { op, tool } of effectsOf(step)) if (tool !== 'ring') prepare(stage, { ...step, op, tool });
      return caller.send(step);
    case 'rpc-execute':
      prepare(stage, step);
      return caller.execute(step);
    case 'rpc-cancel':
      return caller.cancel(step.session);
    case 'rpc-drop':
      return caller.drop(step.pauseMs);
    default:
      step satisfies never;
  }
};

const createPlayer = (stage: Stage) => {
  const { world, history } = stage;
  const playFault = createFaultPlayer(stage);
  return async (step: Step): Promise<void> => {
    switch (step.kind) {
      case 'call': {
        const { user, machine } = partyOf(world, step.user);
        prepareMarks(machine.root, step.op);
        return user.call(step);
      }
      case 'message': {
        const { user, chat, machine } = partyOf(world, step.user);
        const { answer, answerAfterMs } = step;
        for (const { op, tool } of effectsOf(step)) {
          prepareMarks(machine.root, op);
          if (tool !== 'ring') history.note({ type: 'asked', op, user: step.user, tool });
          if (step.door === 'list' || answer === 'both') user.click({ op, answer, answerAfterMs });
        }
        return chat.message(step);
      }
      case 'thread':
        return partyOf(world, step.user).chat.act(step);
      case 'rpc-send':
      case 'rpc-execute':
      case 'rpc-cancel':
      case 'rpc-drop':
        return playRpc(stage, step);
      default:
        return playFault(step);
    }
  };
};

/** What a user still waits for, in words. */
const waitsOf = async ({ user, chat, callers }: Party): Promise<{ user: number; what: string }[]> => {
  const open = (await user.open()) ?? ['that cannot be listed'];
  const unanswered = Object.values(callers).flatMap((caller) => caller.unanswered());
  return [
    ...open.map((requestId) => `call ${requestId}`),
    ...(await chat.busy()),
    ...unanswered.map((name) => `request ${name}`),
  ].map((what) => ({ user: user.index, what }));
};

const settle = async (world: World, history: History) => {
  history.note({ type: 'quiet' });
  for (const { user, chat } of world.parties) {
    user.answerAll();
    chat.answerAll();
  }
  const look = async () => (await Promise.all(world.parties.map(waitsOf))).flat();
  let waits = await look();
  let until = systemClock.now() + quietMs;
  // On a busy machine all takes long: what still goes on is waited for.
  const latest = systemClock.now() + longestMs;
  while (waits.length > 0 && systemClock.now() < Math.min(until, latest)) {
    await sleep(systemClock, lookEveryMs);
    const before = JSON.stringify(waits);
    waits = await look();
    if (JSON.stringify(waits) !== before) until = systemClock.now() + quietMs;
  }
  for (const wait of waits) history.note({ type: 'not-quiet', ...wait });
  for (const { user, chat } of world.parties) {
    let state = await user.lastCall();
    while (systemClock.now() < until && state !== 'succeeded') {
      await sleep(systemClock, lookEveryMs);
      state = await user.lastCall();
    }
    history.note({ type: 'last-call', user: user.index, state });
    history.note({ type: 'last-run', user: user.index, status: await chat.lastRun() });
  }
};

/** What people do: it is not waited for. */
const isUse = ({ kind }: Step) => /^(call|message|thread|rpc-.*)$/.test(kind);

/** Plays a plan against real processes, and leaves what happened in the folder. */
export const play = async ({ folder, plant = null, ...plan }: PlayOptions): Promise<void> => {
  const history = createHistory(historyFile(folder), systemClock.now);
  const { seed, users, servers } = plan;
  history.note({ type: 'begun', seed, users, servers, callMaxMs });
  const world = await createWorld({ folder, seed, users, servers, plant, callMaxMs, history });
  try {
    const player = createPlayer({ world, history });
    const begunAt = systemClock.now();
    const faults: Promise<void>[] = [];
    for (const step of createPlan(plan)) {
      await sleep(systemClock, Math.max(0, step.atMs - (systemClock.now() - begunAt)));
      const begun = player(step);
      if (!isUse(step)) faults.push(begun);
    }
    await Promise.all(faults);
    await settle(world, history);
    history.note({ type: 'ended' });
  } finally {
    await world.end();
    await history.close();
  }
};
