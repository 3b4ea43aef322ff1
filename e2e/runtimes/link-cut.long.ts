import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sleep, systemClock } from '@drawbridge/kit';
import { afterAll, expect, it } from 'vitest';
import { startCodingWorld } from '../agent/coding-world.ts';
import { threadOf } from '../agent/thread.ts';
import { startRelay } from '../faults/servers/relay.ts';
import { createProcesses, until } from '../harness/index.ts';
import { describeWith } from '../services.ts';

/** Longer than the server waits for any other call of a machine that is away; `LINK_CUT_MS` for another time. */
const cutMs = Number(process.env.LINK_CUT_MS ?? 90_000);

describeWith('bubblewrap')('a turn of a coding agent whose machine loses its network', () => {
  const programs = createProcesses();
  afterAll(() => programs.stopAll());

  it(`11 goes on for ${cutMs} ms: each event is there once, and what it asked meanwhile is asked`, async () => {
    let relay: Awaited<ReturnType<typeof startRelay>> | undefined;
    const world = await startCodingWorld(programs, async (url) => {
      relay = await startRelay(Number(new URL(url).port));
      return `http://127.0.0.1:${relay.port}`;
    });
    const { ann, daemon } = world;
    const held = (name: string) => until(async () => existsSync(join(daemon.root, `${name}.waits`)));
    const release = (name: string) => writeFileSync(join(daemon.root, name), '');
    const stateOfIt = async () =>
      (await ann.api.agent.runtimes.query({ threadId: 'cut' })).options.find(({ id }) => id === 'acp:mine')
        ?.state;
    const thread = threadOf(ann, 'cut');
    await world.choose('cut');
    await thread.say(
      [
        ...['SAY before ', 'UNTIL cut', 'SAY in the cut ', 'MANY 100', 'UNTIL ask'],
        ...['RUN echo made >> made.txt', 'SAY after', 'UNTIL end'],
      ].join('\n'),
    );
    await world.allow('Let mine work in the shared folder?');
    await held('cut');
    await until(async () => (await thread.now()).partial.some(({ text }) => text === 'before '));

    relay?.hold();
    const from = systemClock.now();
    release('cut');
    await held('ask');
    release('ask');
    await until(async () => (await stateOfIt()) === 'offline');
    await sleep(systemClock, from + cutMs - systemClock.now());
    expect(await thread.of('run-finish')).toEqual([]);
    expect(await ann.api.confirmations.list.query()).toEqual([]);
    relay?.release();

    await until(async () => (await thread.of('confirmation-request')).length === 2);
    expect((await thread.asks()).length).toBe(1);
    await world.allow(/^mine: run /);
    await held('end');
    release('end');
    expect((await thread.until('run-finish')).payload.status).toBe('completed');
    expect(await stateOfIt()).toBe('ready');
    expect(readFileSync(join(daemon.root, 'made.txt'), 'utf8')).toBe('made\n');
    const texts = (await thread.of('text-block')).map(({ payload }) => payload.text);
    expect(texts).toEqual([`before in the cut ${'a piece of text '.repeat(100)}`, 'after']);
    const all = (await thread.events()).map(({ event }) => event.type);
    const count = (type: string) => all.filter((one) => one === type).length;
    // The turn, what it did without a question, and what it asked about.
    expect(['tool-call', 'tool-result', 'confirmation-request', 'run-finish'].map(count)).toEqual([
      102, 102, 2, 1,
    ]);
    expect(await thread.asks()).toEqual([]);
    relay?.close();
  }, 600_000);
});
