import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sleep, systemClock } from '@drawbridge/kit';
import { afterAll, expect, it } from 'vitest';
import { codingFlags, codingHome, standIn } from '../agent/coding-world.ts';
import { threadOf, type Thread } from '../agent/thread.ts';
import {
  connectDaemon,
  createProcesses,
  isRunning,
  startDaemon,
  startServer,
  until,
  type Daemon,
  type Person,
  type Server,
} from '../harness/index.ts';
import { createRandom, type Random } from '../harness/random.ts';
import { describeWith } from '../services.ts';

const minutes = Number(process.env['STOPS_MINUTES'] ?? 10);
const seed = Number(process.env['STOPS_SEED'] ?? 35);
const restMs = 500;
/** A turn that waits for its end is stopped after this time. */
const waitMs = 5_000;
const patienceMs = 60_000;

interface Place {
  person: Person;
  daemon: Daemon;
  machineId: string;
  name: string;
  random: Random;
}

type Way = 'stop' | 'kill' | 'let';
const ways: Way[] = ['stop', 'stop', 'stop', 'kill', 'let', 'let'];

describeWith('bubblewrap')('two people with two machines each', () => {
  const programs = createProcesses();
  afterAll(() => programs.stopAll());

  const connect = async (server: Server, name: string, person: Person): Promise<Place> => {
    const machines = async () => (await person.api.machines.list.query()).map(({ id }) => id);
    const known = new Set(await machines());
    const options = { url: server.url, home: codingHome(), flags: codingFlags };
    const daemon = await connectDaemon(programs, { person, ...options });
    const machineId = (await machines()).find((id) => !known.has(id)) ?? '';
    return { person, daemon, machineId, name, random: createRandom(seed + known.size) };
  };

  const killDaemon = async (place: Place, { url }: Server) => {
    const { root, home, process } = place.daemon;
    await process.end('SIGKILL');
    place.daemon = startDaemon(programs, { url, root, home, flags: codingFlags });
    await place.daemon.process.says(/^\s*connected /m);
  };

  /** Says yes to whatever is asked, until it is aborted. */
  const allowAll = async (person: Person, signal: AbortSignal) => {
    while (!signal.aborted) {
      for (const { id } of await person.api.confirmations.list.query())
        // Its turn may have ended meanwhile.
        await person.api.confirmations.decide.mutate({ confirmationId: id, approved: true }).catch(() => {});
      await sleep(systemClock, restMs);
    }
  };

  const ends = async (thread: Thread) => (await thread.of('run-finish')).length;

  /** What a turn has left behind, in its chat and on its machine. */
  const check = async ({ daemon }: Place, thread: Thread, sleeper: string) => {
    const { id } = thread;
    expect([id, await ends(thread)]).toEqual([id, 1]);
    const texts = (await thread.of('text-block')).map(({ payload }) => payload.text);
    expect([id, texts]).toEqual([
      id,
      [`begin ${id}`, 'left', `end ${id}`].filter((text) => texts.includes(text)),
    ]);
    const file = join(daemon.root, `${id}.txt`);
    if (existsSync(file)) expect(readFileSync(file, 'utf8')).toBe(`${id}\n`);
    await until(async () => !isRunning(sleeper));
    expect(await thread.asks()).toEqual([]);
  };

  const turn = async (place: Place, server: Server, { n, at }: { n: number; at: number }): Promise<Way> => {
    const { person, machineId, name, random } = place;
    const thread = threadOf(person, `${name}-${n}`);
    const { id } = thread;
    const seconds = 70_000 + at * 5_000 + n;
    const message = `/runtime activate acp:mine on ${machineId}`;
    await person.api.agent.send.mutate({ threadId: id, message, attachments: [], mode: 'reject' });
    const last = random.chance(0.5) ? `SAY end ${id}` : 'WAIT';
    const steps = [`SAY begin ${id}`, `RUN echo ${id} >> ${id}.txt`, `SLEEPER ${seconds}`, last];
    await thread.say(steps.join('\n'));
    await sleep(systemClock, random.whole(0, 4_000));
    const way = random.pick(ways);
    if (way === 'stop') await thread.cancel();
    if (way === 'kill') await killDaemon(place, server);
    const from = systemClock.now();
    while ((await ends(thread)) === 0) {
      if (systemClock.now() - from > waitMs) await thread.cancel();
      if (systemClock.now() - from > patienceMs) throw new Error(`${id} (${way}) does not end`);
      await sleep(systemClock, restMs);
    }
    await check(place, thread, `sleep ${seconds}`);
    return way;
  };

  it(
    `35 RT-06 RT-13 random stops for ${minutes} min, seed ${seed}: each turn ends, in its own chat, and leaves no process`,
    async () => {
      const server = await startServer(programs);
      const ann = await server.createOwner();
      const ben = await server.invite(ann);
      const places: Place[] = [];
      for (const name of ['ann-1', 'ann-2', 'ben-1', 'ben-2'])
        places.push(await connect(server, name, name.startsWith('ann') ? ann : ben));
      const allowing = new AbortController();
      const allowed = [ann, ben].map((person) => allowAll(person, allowing.signal));
      const over = systemClock.now() + minutes * 60_000;
      const done: Way[] = [];
      const worked = places.map(async (place, at) => {
        for (let n = 0; systemClock.now() < over; n += 1) done.push(await turn(place, server, { n, at }));
      });
      await Promise.all(worked);
      allowing.abort();
      await Promise.all(allowed);
      await until(async () => !isRunning(standIn));
      // Each has begun at least a turn in a minute.
      expect(done.length).toBeGreaterThan(minutes * places.length);
      expect(new Set(done)).toEqual(new Set(ways));
    },
    (minutes + 5) * 60_000,
  );
});
