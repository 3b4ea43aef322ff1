import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { sleep, systemClock } from '@drawbridge/kit';
import { afterAll, expect, it } from 'vitest';
import { codingFlags, codingHome, standIn } from '../agent/coding-world.ts';
import { threadOf, type Thread } from '../agent/thread.ts';
import {
  connectDaemon,
  createProcesses,
  daemonEntry,
  isRunning,
  startDaemon,
  startServer,
  until,
  type Daemon,
  type Person,
} from '../harness/index.ts';
import { createRandom } from '../harness/random.ts';
import { describeWith } from '../services.ts';

/** `RUNTIME_STOPS_MS=600000` for ten minutes. */
const forMs = Number(process.env['RUNTIME_STOPS_MS'] ?? 30_000);
const seed = Number(process.env['RUNTIME_STOPS_SEED'] ?? 1);
const chatsOfEach = 2;
/** Then it goes on in a new thread: of a long one the first events are no longer stored. */
const turnsOfThread = 5;
/** From its stop, or from that of its machine, to the end of a turn. */
const endMs = 60_000;

interface Machine {
  id: string;
  daemon: Daemon;
}

interface Chat {
  name: string;
  person: Person;
  threads: Thread[];
  machines: readonly Machine[];
}

const marksIn = (text: string): string[] => text.match(/mark-\w+-\d+/g) ?? [];

/** Whether it is so within the time. */
const within = async (ms: number, ask: () => Promise<boolean>): Promise<boolean> => {
  const last = systemClock.now() + ms;
  while (systemClock.now() < last) {
    if (await ask()) return true;
    await sleep(systemClock, 100);
  }
  return false;
};

describeWith('bubblewrap')('coding agents of two users on four machines', () => {
  const programs = createProcesses();
  afterAll(() => programs.stopAll());

  it(
    `35 stopped at random for ${forMs} ms, seed ${seed}: each turn ends with its processes, in its own chat`,
    async () => {
      const random = createRandom(seed);
      const server = await startServer(programs);
      const ann = await server.createOwner();
      const ben = await server.invite(ann);
      const connect = async (person: Person): Promise<Machine> => {
        const known = new Set((await person.api.machines.list.query()).map(({ id }) => id));
        const daemon = await connectDaemon(programs, {
          ...{ person, url: server.url, home: codingHome(), flags: codingFlags },
        });
        const all = await person.api.machines.list.query();
        return { id: all.find(({ id }) => !known.has(id))?.id ?? '', daemon };
      };
      const people = [
        { name: 'ann', person: ann, machines: [await connect(ann), await connect(ann)] },
        { name: 'ben', person: ben, machines: [await connect(ben), await connect(ben)] },
      ];
      const machines = people.flatMap((one) => one.machines);
      const chats = people.flatMap(({ name, ...rest }): Chat[] =>
        Array.from({ length: chatsOfEach }, (_, at) => ({
          ...{ name: `${name}${at}`, ...rest },
          threads: [],
        })),
      );
      const wrong: string[] = [];
      const count = { turns: 0, stops: 0, kills: 0, answers: 0 };
      const ends: Record<string, number> = {};
      const endsAt = systemClock.now() + forMs;
      const isOver = () => systemClock.now() >= endsAt;

      const turn = async ({ person, machines: own }: Chat, thread: Thread, at: number) => {
        const mark = `mark-${thread.id}-${at}`;
        const seconds = String(3_000_000 + (count.turns += 1));
        const machine = random.pick(own);
        await person.api.agent.send.mutate({
          ...{ threadId: thread.id, message: `/runtime activate acp:mine on ${machine.id}` },
          ...{ attachments: [], mode: 'reject' },
        });
        const rest = random.pick([
          [`RUN echo ${mark}`, `SAY ${mark} done`],
          [`SAY ${mark} done`],
          [`RUN echo ${mark}`, 'MANY 20', `SAY ${mark} done`],
          [`RUN echo ${mark}`, 'WAIT'],
          ['STUCK'],
        ]);
        await thread.say([`SAY ${mark}`, `SLEEPER ${seconds}`, ...rest].join('\n'));
        const hasEnded = async () => (await thread.of('run-finish')).length === at;
        if (!(await within(random.whole(1_000, 20_000), hasEnded))) {
          count.stops += 1;
          await thread.cancel();
        }
        if (!(await within(endMs, hasEnded))) wrong.push(`${mark} has not ended`);
        if (!(await within(endMs, async () => !isRunning(`sleep ${seconds}`))))
          wrong.push(`a process of ${mark} is left`);
        const status = (await thread.of('run-finish')).at(-1)?.payload.status ?? 'none';
        const { code } = (status === 'error' && (await thread.of('error')).at(-1)?.payload) || {};
        const end = code ?? status;
        ends[end] = (ends[end] ?? 0) + 1;
      };
      const working = async (chat: Chat) => {
        const goesOn = () => !isOver() && wrong.length === 0;
        while (goesOn()) {
          const thread = threadOf(chat.person, `${chat.name}-${chat.threads.length}`);
          chat.threads.push(thread);
          for (let at = 1; at <= turnsOfThread && goesOn(); at += 1) await turn(chat, thread, at);
        }
      };
      let isAnswering = true;
      const answering = async ({ name, person }: (typeof people)[number]) => {
        while (isAnswering) {
          const open = await person.api.confirmations.list.query();
          const text = JSON.stringify(open);
          for (const mark of marksIn(text))
            if (!mark.startsWith(`mark-${name}`)) wrong.push(`${name} is asked about ${mark}`);
          for (const { id: confirmationId } of open) {
            const approved = random.chance(0.95);
            // Its turn may have ended meanwhile.
            await person.api.confirmations.decide.mutate({ confirmationId, approved }).then(
              () => (count.answers += 1),
              () => 0,
            );
          }
          await sleep(systemClock, 300);
        }
      };
      const again = async (machine: Machine, signal: 'SIGKILL' | 'SIGTERM') => {
        const { root, home, process: running } = machine.daemon;
        await running.end(signal);
        count.kills += 1;
        if (random.chance(0.3)) await sleep(systemClock, random.whole(500, 3_000));
        machine.daemon = startDaemon(programs, { url: server.url, root, home, flags: codingFlags });
        await machine.daemon.process.says(/^\s*connected /m);
      };
      const stopping = async () => {
        for (; !isOver(); await sleep(systemClock, random.whole(1_000, 4_000))) {
          const machine = random.pick(machines);
          const way = random.pick(['SIGKILL', 'SIGTERM', 'stop'] as const);
          if (way !== 'stop') await again(machine, way);
          else {
            const env = { ...process.env, HOME: machine.daemon.home };
            await promisify(execFile)(process.execPath, [daemonEntry, 'runtimes', 'stop'], { env });
            count.stops += 1;
          }
        }
      };

      const answers = people.map(answering);
      await Promise.all([stopping(), ...chats.map(working)]);
      isAnswering = false;
      await Promise.all(answers);

      expect(wrong).toEqual([]);
      for (const { name, person, thread } of chats.flatMap(({ threads, ...chat }) =>
        threads.map((thread) => ({ ...chat, thread })),
      )) {
        const events = await thread.events();
        const strange = marksIn(JSON.stringify(events)).filter((mark) => !mark.startsWith(`mark-${name}-`));
        expect([name, strange]).toEqual([name, []]);
        const types = events.map(({ event }) => event.type);
        const of = (type: string) => types.filter((one) => one === type).length;
        expect([name, of('run-start')]).toEqual([name, of('run-finish')]);
        expect([name, (await thread.now()).status]).toEqual([name, 'idle']);
        // Of the other user it is not there at all.
        for (const other of people)
          if (other.person !== person) expect(await threadOf(other.person, thread.id).exists()).toBe(false);
      }
      for (const { person, machines: own } of people) {
        const { calls } = await person.api.calls.list.query({});
        const open = calls.filter(({ endedAt }) => endedAt === null);
        expect(open).toEqual([]);
        const ids = new Set(own.map(({ id }) => id));
        expect(calls.filter(({ machineId }) => !ids.has(machineId))).toEqual([]);
        expect(await person.api.confirmations.list.query()).toEqual([]);
      }
      await until(async () => !isRunning(standIn));
      expect(count.turns).toBeGreaterThan(chats.length);
      expect(ends['completed']).toBeGreaterThan(0);
      console.info({ ...count, ends });
    },
    forMs + 300_000,
  );
});
