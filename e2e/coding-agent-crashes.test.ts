import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { standIn, startCodingWorld, type CodingWorld } from './agent/coding-world.ts';
import { threadOf } from './agent/thread.ts';
import { createProcesses, isRunning, until, type Daemon, type Person, type Server } from './harness/index.ts';
import { describeWith } from './services.ts';

describeWith('bubblewrap')('a turn of a coding agent in which a program is killed', () => {
  const programs = createProcesses();
  let world: CodingWorld;
  let server: Server;
  let ann: Person;
  let daemon: Daemon;

  beforeAll(async () => {
    world = await startCodingWorld(programs);
    ({ server, ann, daemon } = world);
  });
  afterAll(() => programs.stopAll());

  const asked = (title: string) => world.asked(title);
  const allow = (title: string | RegExp) => world.allow(title);
  const choose = (threadId: string) => world.choose(threadId);
  /** Starts what waits for that file in the folder of the machine. */
  const held = (name: string) => until(async () => existsSync(join(daemon.root, `${name}.waits`)));
  const release = (name: string) => writeFileSync(join(daemon.root, name), '');
  it('RT-13 the server is killed at each point of a turn: it works on, and each event is there once', async () => {
    const thread = threadOf(ann, 'kills');
    await choose('kills');
    const holding = new Set(['text', 'run', 'end']);
    // The server is killed twice in each turn, and works in between.
    for (const points of [
      ['call', 'ask'],
      ['task', 'run'],
      ['text', 'end'],
    ]) {
      const point = points.join('-');
      const before = (await thread.exists()) ? ((await thread.events()).at(-1)?.id ?? 0) : 0;
      const file = (name: string) => `${point}-${name}`;
      const pass = async (name: string) => {
        if (holding.has(name)) await held(file(name));
        if (points.includes(name)) {
          await server.end('SIGKILL');
          await server.restart();
        }
        release(file(name));
      };
      const command = `touch ${file('run')}.waits; until [ -e ${file('run')} ]; do sleep 0.05; done; echo ran >> ${point}.txt`;
      await thread.say(
        ['SAY half', `UNTIL ${file('text')}`, `RUN ${command}`, 'SAY whole', `UNTIL ${file('end')}`].join(
          '\n',
        ),
      );
      await pass('call');
      await asked('Let mine work in the shared folder?');
      await pass('task');
      await allow('Let mine work in the shared folder?');
      await pass('text');
      await world.asked(/^mine: run /);
      await pass('ask');
      await allow(/^mine: run /);
      await pass('run');
      await pass('end');
      const events = async () => (await thread.events(before)).map(({ event }) => event);
      const finish = await until(async () => (await events()).find(({ type }) => type === 'run-finish'));
      expect([point, finish.payload]).toMatchObject([point, { status: 'completed' }]);
      expect(readFileSync(join(daemon.root, `${point}.txt`), 'utf8')).toBe('ran\n');
      const all = await events();
      const count = (type: string) => all.filter((event) => event.type === type).length;
      const counts = ['tool-call', 'confirmation-request', 'tool-result', 'run-finish'].map(count);
      expect([point, ...counts]).toEqual([point, 2, 2, 2, 1]);
      const texts = all.flatMap((event) => (event.type === 'text-block' ? [event.payload.text] : []));
      expect(texts).toEqual(['half', 'whole']);
      expect(await thread.asks()).toEqual([]);
    }
  });

  it('RT-13 the daemon is killed in a turn: it is lost, and Continue goes on without doing anything twice', async () => {
    const thread = threadOf(ann, 'lost');
    await choose('lost');
    await thread.say('SAY half\nRUN echo once >> lost.txt\nUNTIL lost');
    await allow('Let mine work in the shared folder?');
    await allow(/^mine: run /);
    await held('lost');
    await daemon.process.end('SIGKILL');
    await until(async () => !isRunning(standIn));
    await world.startAgain();
    expect((await thread.until('run-finish')).payload.status).toBe('error');
    expect((await thread.until('error')).payload).toMatchObject({ code: 'LOST' });
    expect((await thread.of('text-block')).map(({ payload }) => payload.text)).toEqual(['half']);
    expect(await thread.continue()).toBeLessThan(300);
    await allow('Let mine work in the shared folder?');
    await until(async () => (await thread.of('run-finish')).length === 2);
    expect((await thread.of('run-finish')).at(-1)?.payload.status).toBe('completed');
    expect(readFileSync(join(daemon.root, 'lost.txt'), 'utf8')).toBe('once\n');
    expect(await thread.asks()).toEqual([]);
  });
});
