import { sleep, systemClock } from '@drawbridge/kit';
import { afterAll, expect, it } from 'vitest';
import { callMcp, connectDaemon, createProcesses, startServer, until } from './harness/index.ts';
import { describeWith } from './services.ts';

/** Longer than the server waits for a machine; `LINK_AWAY_MS=300000` for five minutes. */
const awayMs = Number(process.env.LINK_AWAY_MS ?? 70_000);
const watcher = 'at=0; while :; do at=$((at + 1)); echo tick $at; sleep 0.1; done';

describeWith('bubblewrap')('a process whose link is away', () => {
  const programs = createProcesses();
  afterAll(() => programs.stopAll());

  it('SU-52 goes on meanwhile, and none of its output is lost', async () => {
    const server = await startServer(programs);
    const ann = await server.createOwner();
    await connectDaemon(programs, { person: ann, url: server.url, flags: ['--permission-shell', 'allow'] });
    const { token } = await ann.api.tokens.create.mutate({ name: 'Desk', scopes: ['shell'] });
    const call = async (tool: string, args: Record<string, unknown>) =>
      JSON.parse(await callMcp(server.url, { token, tool, args })) as { process: string; output: string };
    const { process: id } = await call('process_start', { command: watcher, waitFor: ['tick 2'] });

    await server.end('SIGKILL');
    await sleep(systemClock, awayMs);
    await server.restart();
    await until(async () => (await ann.api.gateway.status.query()).state === 'online');
    const after = await call('process_read', { process: id, cursor: 0, maxChars: 100_000 });
    const lines = after.output.trim().split('\n');
    expect(lines).toEqual(lines.map((_, at) => `tick ${at + 1}`));
    // Each takes 100 ms and the start of a program, on a busy machine much longer.
    expect(lines.length).toBeGreaterThan(awayMs / 600);
  }, 900_000);
});
