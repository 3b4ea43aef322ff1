import type { AskPayload } from '@drawbridge/contracts/agent/asks';
import { sleep, systemClock } from '@drawbridge/kit';
import { threadOf, type NumberedEvent, type Thread } from '../../agent/thread.ts';
import type { Person } from '../../harness/index.ts';
import type { PlannedAnswer } from '../answers.ts';
import type { History } from '../history.ts';
import { opIn } from '../marks.ts';
import type { AgentStep, PlannedMessage } from './plan.ts';
import { codingAgent } from '../machine.ts';
import { messageText } from './script.ts';

/** A person who writes to the agent, answers what it asks, and reads the events of each thread as they come. */
export interface Chat {
  /** Sends it from another place where one is given. */
  message(planned: PlannedMessage, from?: Person): Promise<void>;
  act(step: Extract<AgentStep, { kind: 'thread' }>): Promise<void>;
  /** From now on every question is answered, also those that were to stay open. */
  answerAll(): void;
  /** The threads in which something works, waits or is queued, once all events are read. */
  busy(): Promise<string[]>;
  /** One message in a new thread, for when all is quiet: how its run ended. */
  lastRun(): Promise<string>;
  stop(): void;
}

export interface ChatNeeds {
  index: number;
  person: Person;
  history: History;
}

const everyMs = 500;
/** After this long without a message, a thread is read when all is quiet. */
const restMs = 60_000;
const lastRunMs = 30_000;

interface Followed {
  thread: Thread;
  seen: number;
  usedAt: number;
  /** The server has confirmed a message of it. */
  isBegun: boolean;
  /** Answered by the coding agent of the machine. */
  isCoding: boolean;
  /** One at a time: two readers would note the same events. */
  reading: Promise<void>;
  /** Questions without an answer yet. */
  asks: Map<string, AskPayload>;
}

const approvals: Record<PlannedAnswer, boolean[]> = {
  allow: [true],
  'allow-session': [true],
  deny: [false],
  refuse: [false],
  both: [true, false],
  never: [],
};

const bodyOf = (ask: AskPayload, isAllowed: boolean): object => {
  const { inputType, questions, resourceDecision: shown } = ask;
  switch (inputType) {
    case 'resource-decision':
      return {
        kind: 'resourceDecision',
        confirmationId: shown?.confirmationId,
        resourceDecision: isAllowed ? 'allowOnce' : 'denyOnce',
      };
    case 'questions': {
      const questionId = questions?.[0]?.id ?? '';
      const answers = [{ questionId, selectedOptions: ['red'] }];
      return isAllowed ? { kind: 'questions', answers } : { kind: 'approval', approved: false };
    }
    default:
      return { kind: 'approval', approved: isAllowed };
  }
};

export const createChat = ({ index, person, history }: ChatNeeds): Chat => {
  const threads = new Map<string, Followed>();
  const plans = new Map<string, PlannedMessage>();
  let all = false;
  let stopped = false;

  const followed = (id: string): Followed => {
    const known = threads.get(id) ?? {
      thread: threadOf(person, id),
      seen: 0,
      usedAt: 0,
      isBegun: false,
      isCoding: false,
      asks: new Map(),
      reading: Promise.resolve(),
    };
    threads.set(id, known);
    return known;
  };

  const noteEvent = ({ thread, asks }: Followed, { id, event }: NumberedEvent) => {
    const { type, payload } = event;
    const toolCallId = 'toolCallId' in payload ? payload.toolCallId : null;
    history.note({ type: 'event', user: index, thread: thread.id, seq: id, event: type, toolCallId });
    if (type === 'confirmation-request') asks.set(payload.requestId, payload);
    if (type === 'confirmation-closed') asks.delete(payload.requestId);
  };

  const readNow = async (one: Followed) => {
    for (const event of await one.thread.events(one.seen)) {
      noteEvent(one, event);
      one.seen = event.id;
    }
  };
  const read = (one: Followed): Promise<void> => {
    const own = one.reading.then(() => readNow(one));
    one.reading = own.catch(() => {});
    return own;
  };

  const click = async ({ thread }: Followed, ask: AskPayload, isAllowed: boolean) => {
    const status = await thread.answer(ask.requestId, bodyOf(ask, isAllowed)).catch(() => 0);
    const head = { user: index, thread: thread.id, ask: ask.requestId, allowed: isAllowed };
    history.note({ type: 'ask-answered', ...head, status });
    const confirmationId = ask.resourceDecision?.confirmationId;
    if (status === 200 && confirmationId !== undefined) {
      const decision = isAllowed ? 'allowOnce' : 'denyOnce';
      history.note({ type: 'decided', confirmationId, approved: isAllowed, decision });
    }
    return status !== 0 && status < 500;
  };

  const answer = async (one: Followed, ask: AskPayload) => {
    const planned = plans.get(opIn(JSON.stringify(ask)) ?? '');
    const isElsewhere = ask.inputType === 'resource-decision' && planned?.door === 'list';
    if (isElsewhere && !all) return;
    const wanted = planned ? approvals[planned.answer] : [];
    if (wanted.length === 0 && !all && planned) return;
    one.asks.delete(ask.requestId);
    if (!all) await sleep(systemClock, planned?.answerAfterMs ?? 0);
    const clicks = (wanted.length > 0 ? wanted : [false]).map((isAllowed) => click(one, ask, isAllowed));
    // The answer had no effect: the question is still displayed.
    if (!(await Promise.all(clicks)).some(Boolean)) one.asks.set(ask.requestId, ask);
  };

  const look = async (one: Followed) => {
    await read(one);
    for (const ask of [...one.asks.values()]) void answer(one, ask);
  };

  const lookOn = async () => {
    while (!stopped) {
      const now = systemClock.now();
      const used = [...threads.values()].filter(({ usedAt }) => all || now - usedAt < restMs);
      await Promise.all(used.map((one) => look(one).catch(() => {})));
      await sleep(systemClock, all ? everyMs * 4 : everyMs);
    }
  };
  void lookOn();

  const use = (id: string): Followed => {
    const one = followed(id);
    one.usedAt = systemClock.now();
    return one;
  };

  const busyIn = async (one: Followed): Promise<string[]> => {
    // Each message of it met a fault: there is no thread to wait for.
    if (!one.isBegun && !(await one.thread.exists())) return [];
    const { status, queue, queuePaused } = await one.thread.now();
    await read(one);
    if (status === 'idle' && (queue.length === 0 || queuePaused)) return [];
    return [`thread ${one.thread.id}: ${status}, ${queue.length} queued`];
  };

  return {
    message: async (planned, from = person) => {
      for (const op of planned.ops) plans.set(op, planned);
      const { thread, mode, ops } = planned;
      const head = { user: index, thread, op: ops[0] ?? '' };
      history.note({ type: 'said', ...head, work: planned.work, mode });
      const one = use(thread);
      if (planned.work === 'coding' && !one.isCoding)
        one.isCoding = await one.thread.say(`/runtime activate ${codingAgent}`).then(
          () => true,
          () => false,
        );
      const reply = await threadOf(from, thread)
        .say(messageText(planned), mode)
        .then(
          (id) => {
            one.isBegun = true;
            return id;
          },
          (error: unknown) => String(error),
        );
      history.note({ type: 'said-reply', ...head, reply });
    },
    act: async ({ thread, act }) => {
      const askedAt = systemClock.now();
      const { cancel, continue: goOn, resume } = use(thread).thread;
      const acts = { stop: cancel, continue: goOn, resume };
      // Stop comes from two windows at once: a run must have one end.
      const clicks = act === 'stop' ? [acts.stop(), acts.stop()] : [acts[act]()];
      for (const status of await Promise.all(clicks.map((click) => click.catch(() => 0))))
        history.note({ type: 'acted', user: index, thread, act, askedAt, status });
    },
    answerAll: () => {
      all = true;
    },
    busy: async () => {
      const reads = [...threads.values()].map((one) =>
        busyIn(one).catch((error: unknown) => [`thread ${one.thread.id}: ${String(error)}`]),
      );
      return (await Promise.all(reads)).flat();
    },
    lastRun: async () => {
      const thread = threadOf(person, `last-${systemClock.now()}`);
      const ops = [`op-9${String(index).padStart(5, '0')}`];
      const run = async () => {
        await thread.say(messageText({ work: 'talk', takesMs: 0, model: null, ops }));
        return (await thread.until('run-finish')).payload.status;
      };
      return Promise.race([run().catch(String), sleep(systemClock, lastRunMs).then(() => 'open')]);
    },
    stop: () => {
      stopped = true;
    },
  };
};
