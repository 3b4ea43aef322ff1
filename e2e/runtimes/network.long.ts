import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { sleep, systemClock } from '@drawbridge/kit';
import { afterAll, expect, it } from 'vitest';
import { codingFlags, codingHome } from '../agent/coding-world.ts';
import { threadOf } from '../agent/thread.ts';
import { connectDaemon, createProcesses, startServer, until } from '../harness/index.ts';
import { describeWith } from '../services.ts';

const cutMs = 90_000;

/** A network that can be cut: nothing arrives then, and nothing is refused. */
const startNetwork = async (target: URL) => {
  const sockets = new Set<Socket>();
  let isCut = false;
  const network = createServer((near) => {
    sockets.add(near.on('error', () => {}));
    if (isCut) return void near.pause();
    const far = connect(Number(target.port), target.hostname).on('error', () => near.destroy());
    sockets.add(far);
    near.pipe(far).pipe(near);
    for (const one of [near, far]) one.on('close', () => [near, far].forEach((each) => each.destroy()));
  });
  await new Promise<void>((resolve) => network.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(network.address() as AddressInfo).port}`,
    cut: () => {
      isCut = true;
      for (const one of sockets) one.unpipe().pause();
    },
    /** What was sent meanwhile is lost with its connections. */
    mend: () => {
      isCut = false;
      for (const one of sockets) one.destroy();
      sockets.clear();
    },
    stop: () => {
      for (const one of sockets) one.destroy();
      network.close();
    },
  };
};

describeWith('bubblewrap')('a turn of a coding agent whose network is cut', () => {
  const programs = createProcesses();
  const stops: (() => void)[] = [];
  afterAll(async () => {
    await programs.stopAll();
    for (const stop of stops) stop();
  });

  it('11 RT-13 it works on: no event is lost or doubled, and a question that it asked meanwhile appears', async () => {
    const server = await startServer(programs);
    const ann = await server.createOwner();
    const network = await startNetwork(new URL(server.url));
    stops.push(network.stop);
    const daemon = await connectDaemon(programs, {
      ...{ person: ann, url: network.url, home: codingHome(), flags: codingFlags },
    });
    const thread = threadOf(ann, 'cut');
    const allow = async (title: RegExp) => {
      const question = await until(async () =>
        (await ann.api.confirmations.list.query()).find((one) => title.test(one.title ?? '')),
      );
      await ann.api.confirmations.decide.mutate({ confirmationId: question.id, approved: true });
    };
    await ann.api.agent.send.mutate({
      ...{ threadId: 'cut', message: '/runtime activate acp:mine', attachments: [], mode: 'reject' },
    });
    const steps = ['SAY before', 'UNTIL go', 'SAY during', 'RUN echo made >> made.txt', 'SAY after'];
    await thread.say(steps.join('\n'));
    await allow(/^Let mine work/);
    await until(async () => existsSync(join(daemon.root, 'go.waits')));
    network.cut();
    writeFileSync(join(daemon.root, 'go'), '');
    await sleep(systemClock, cutMs);
    expect((await thread.of('confirmation-request')).length).toBe(1);
    expect((await thread.of('run-finish')).length).toBe(0);
    network.mend();
    await allow(/^mine: run /);
    expect((await thread.until('run-finish')).payload.status).toBe('completed');
    expect(readFileSync(join(daemon.root, 'made.txt'), 'utf8')).toBe('made\n');
    const texts = (await thread.of('text-block')).map(({ payload }) => payload.text);
    expect(texts).toEqual(['before', 'during', 'after']);
    const count = async (type: 'tool-call' | 'confirmation-request' | 'tool-result') =>
      (await thread.of(type)).length;
    expect(
      await Promise.all([count('tool-call'), count('confirmation-request'), count('tool-result')]),
    ).toEqual([2, 2, 2]);
    expect(await thread.asks()).toEqual([]);
  });
});
