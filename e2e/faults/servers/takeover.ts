import { sleep, systemClock } from '@drawbridge/kit';
import { servedBy, toServer } from '../../cluster/balancer.ts';
import type { Person } from '../../harness/index.ts';
import type { PlannedMessage } from '../agent/plan.ts';
import { prepareMarks } from '../marks.ts';
import type { History } from '../history.ts';
import type { PlannedCall } from '../plan.ts';
import type { Party, World } from '../world.ts';
import type { PlannedTakeover } from './plan.ts';

/** A server delivers until 8 s after its last beat, which may be 2 s ago. */
const longestDeliveringMs = 5_500;
/** A frame on a stream counts as late where a newer stream is that old: see I9. */
const newerMs = 1_200;
/** Others take a server for dead after 10 s, and its threads with the next beat. */
const longestDeadMs = 30_000;
/** Between two calls, in milliseconds; a server needs longer for one. */
const betweenMs = 3;
/** After a server goes on: time for the work that it had not read. */
const afterMs = 1_500;

/** Messages of one takeover, each in a thread of its own. */
const threads = 12;

interface Work {
  op: string;
  party: Party;
  /** Its own place at the server that is held. */
  from: Person;
  tool: 'shell' | 'edit';
}

/** Waits until the condition holds, for at most `ms`. */
const waitFor = async (ms: number, isSo: () => boolean | Promise<boolean>): Promise<void> => {
  const end = systemClock.now() + ms;
  while (systemClock.now() < end && !(await isSo())) await sleep(systemClock, 50);
};

/** A tool that the machine of this user runs without a question. */
const toolOf = ({ user }: Party) => (user.index % 2 === 0 ? 'shell' : 'edit');

const callOf = ({ op, party, tool }: Work): PlannedCall => ({
  ...{ kind: 'call', op, user: party.user.index, tool, takesMs: 0 },
  ...{ answer: 'allow', answerAfterMs: 0, cancelAfterMs: null, leaveAfterMs: null },
});

const messageOf = ({ op, party, tool }: Work): PlannedMessage => ({
  ...{ kind: 'message', user: party.user.index, thread: `thread-of-${op}`, work: tool, ops: [op] },
  ...{ takesMs: 0, mode: 'queue', answer: 'allow', answerAfterMs: 0, door: 'chat', model: 'always-slow' },
});

/** A request without an answer after this time waits at the server that is held. */
const heldMs = 300;

/** The balancer sends nothing to the server any more. */
const isLeftOut = async ({ servers }: World, server: number): Promise<boolean> => {
  const headers = { [toServer]: String(server + 1) };
  const late = new AbortController();
  const stop = systemClock.after(heldMs, () => late.abort());
  const answer = await fetch(`${servers.url}/health`, { headers, signal: late.signal }).catch(() => null);
  stop();
  return answer !== null && answer.headers.get(servedBy) !== `server${server + 1}`;
};

/** Holds a server still and cuts it off from the messages of others; when it goes on, they come a bit later. */
const hold = ({ servers }: World, server: number): (() => Promise<void>) => {
  const join = servers.shared?.cut(server, 'redis');
  const release = servers.all[server]?.hold();
  return async () => {
    release?.();
    await sleep(systemClock, afterMs);
    join?.();
  };
};

/** Daemons connect elsewhere, and the server goes on before it is dead, with calls for them that it has not read. */
const takeStreams = async (world: World, server: number, works: Work[]): Promise<void> => {
  const { parties } = world;
  const call = (work: Work) => void work.party.user.call(callOf(work), work.from);
  // Some calls are read before, and are at every step when it goes on; the first one of a place is slow.
  const [warm, before, after] = [0, 1, 2].map((part) =>
    works.filter((_, at) => Math.floor(at / parties.length) % 3 === part),
  );
  await Promise.all((warm ?? []).map((work) => work.party.user.call(callOf(work), work.from)));
  for (const work of before ?? []) {
    call(work);
    await sleep(systemClock, betweenMs);
  }
  const heldAt = systemClock.now();
  const goOn = hold(world, server);
  for (const work of after ?? []) call(work);
  const left = () => longestDeliveringMs - (systemClock.now() - heldAt);
  await waitFor(left(), () => isLeftOut(world, server));
  const streams = parties.map(({ proxy }) => proxy.streams());
  const ends = parties.map(({ proxy }) => proxy.forget());
  const areNewer = () => parties.every(({ proxy }, at) => proxy.streams() > (streams[at] ?? 0));
  await waitFor(left() - newerMs, areNewer);
  await sleep(systemClock, Math.min(newerMs, Math.max(0, left())));
  await goOn();
  for (const end of ends) end();
};

/** Another server asks the model again, and the first one goes on with an answer that it has not read. */
const takeThreads = async (world: World, server: number, works: Work[]): Promise<void> => {
  const { model } = world;
  for (const work of works) void work.party.chat.message(messageOf(work), work.from);
  await waitFor(longestDeliveringMs, () => works.every(({ op }) => model.asked(op) >= 1));
  const goOn = hold(world, server);
  await waitFor(longestDeadMs, () => works.some(({ op }) => model.asked(op) >= 2));
  await goOn();
};

/** What a server has is taken by others while it is held still, cut off from their messages. */
export const takeOver = async (
  { world, history }: { world: World; history: History },
  server: number,
  { fault, ops }: PlannedTakeover,
): Promise<void> => {
  const { parties } = world;
  const places = await Promise.all(parties.map((party) => party.at(server)));
  const works = ops.flatMap((op, at) => {
    const [party, from] = [parties[at % parties.length], places[at % parties.length]];
    return party && from ? [{ op, party, from, tool: toolOf(party) } as const] : [];
  });
  for (const { op, party, tool } of works) {
    prepareMarks(party.machine.root, op);
    history.note({ type: 'asked', op, user: party.user.index, tool });
  }
  if (fault === 'streams') await takeStreams(world, server, works);
  else await takeThreads(world, server, works.slice(0, threads));
};
