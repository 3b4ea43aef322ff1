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

  const asked = (title: string | RegExp) => world.asked(title);
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

  it.each([
    ['text', '', ['half']],
    ['ask', '', ['half']],
    ['run', 'begun\n', ['half']],
    ['end', 'begun\nended\n', ['half', 'whole']],
  ])(
    '10 RT-13 the daemon is killed in a turn (%s): it is lost, and Continue does nothing twice',
    async (point, ran, texts) => {
      const thread = threadOf(ann, `lost-${point}`);
      await choose(thread.id);
      const file = (name: string) => `${thread.id}-${name}`;
      const log = join(daemon.root, `${thread.id}.txt`);
      writeFileSync(log, '');
      const command = `echo begun >> ${thread.id}.txt; touch ${file('run')}.waits; until [ -e ${file('run')} ]; do sleep 0.05; done; echo ended >> ${thread.id}.txt`;
      await thread.say(
        ['SAY half', `UNTIL ${file('text')}`, `RUN ${command}`, 'SAY whole', `UNTIL ${file('end')}`].join(
          '\n',
        ),
      );
      await allow('Let mine work in the shared folder?');
      for (const name of ['text', 'ask', 'run', 'end']) {
        if (name === 'ask') await asked(/^mine: run /);
        else await held(file(name));
        if (name === point) break;
        if (name === 'ask') await allow(/^mine: run /);
        else release(file(name));
      }
      const texted = async () => [
        ...(await thread.of('text-block')).map(({ payload }) => payload.text),
        ...(await thread.now()).partial.map(({ text }) => text),
      ];
      await until(async () => (await texted()).length === texts.length);
      await daemon.process.end('SIGKILL');
      await until(async () => !isRunning(standIn));
      daemon = await world.startAgain();
      expect((await thread.until('run-finish')).payload.status).toBe('error');
      const { code, content } = (await thread.until('error')).payload;
      expect([code, content]).toEqual(['LOST', expect.any(String)]);
      // Also what it was just writing.
      expect((await thread.of('text-block')).map(({ payload }) => payload.text)).toEqual(texts);
      expect(await thread.asks()).toEqual([]);
      expect(await thread.continue()).toBeLessThan(300);
      await allow('Let mine work in the shared folder?');
      await until(async () => (await thread.of('run-finish')).length === 2);
      expect((await thread.of('run-finish')).at(-1)?.payload.status).toBe('completed');
      expect(readFileSync(log, 'utf8')).toBe(ran);
      expect(await thread.asks()).toEqual([]);
    },
  );

  it('10 RT-13 the daemon is killed before a turn begins: it is asked about anew, and runs once', async () => {
    const title = 'Let mine work in the shared folder?';
    const thread = threadOf(ann, 'early');
    await choose('early');
    await thread.say('UNTIL early\nRUN echo once >> early.txt');
    const hasBegun = () => existsSync(join(daemon.root, 'early.waits'));
    await asked(title);
    await daemon.process.end('SIGKILL');
    expect(hasBegun()).toBe(false);
    daemon = await world.startAgain();
    await allow(title);
    await until(async () => (await thread.of('confirmation-request')).length === 2);
    expect(hasBegun()).toBe(false);
    await allow(title);
    await held('early');
    release('early');
    await allow(/^mine: run /);
    expect((await thread.until('run-finish')).payload.status).toBe('completed');
    expect(readFileSync(join(daemon.root, 'early.txt'), 'utf8')).toBe('once\n');
    expect(await thread.asks()).toEqual([]);
  });
});
