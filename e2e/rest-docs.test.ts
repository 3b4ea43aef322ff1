import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createProcesses, startMachine, type Daemon, type Person, type Server } from './harness/index.ts';
import { describeWith } from './services.ts';

const page = readFileSync(new URL('../docs/rest.md', import.meta.url), 'utf8');
/** The code blocks of the page. */
const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
const [names = '', ...lines] = blocks;
const isStream = (block: string) => block.includes('curl -f -N');

describeWith('curl')('the lines of docs/rest.md', () => {
  const processes = createProcesses();
  let server: Server;
  let ann: Person;
  let daemon: Daemon;
  let env: Record<string, string>;

  beforeAll(async () => {
    ({ server, ann, daemon } = await startMachine(processes));
    writeFileSync(join(daemon.root, 'notes.txt'), 'a line');
    const { token } = await ann.api.tokens.create.mutate({ name: 'docs' });
    env = { PATH: process.env.PATH ?? '', DRAWBRIDGE_URL: server.url, DRAWBRIDGE_TOKEN: token };
  });
  afterAll(() => processes.stopAll());

  it('run as they are pasted', async () => {
    const script = ['set -e', names, ...lines.filter((block) => !isStream(block))].join('\n');
    const { stdout } = await promisify(execFile)('sh', ['-c', script], { env });
    expect(stdout).toContain('notes.txt');
    const { calls } = await ann.api.calls.list.query({ limit: 10 });
    expect(calls).toMatchObject([
      { tool: 'list_files', door: 'rest', state: 'succeeded', via: { name: 'docs' } },
      { tool: 'list_files', door: 'rest', state: 'succeeded', via: { name: 'docs' } },
    ]);
  });

  it('stream the events', async () => {
    const reader = spawn('sh', ['-c', [names, `exec ${lines.find(isStream)}`].join('\n')], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let text = '';
    for await (const chunk of reader.stdout) {
      text += String(chunk);
      if (text.includes('event: status\n') && text.includes('"state":"online"')) break;
    }
    reader.kill();
    if (reader.exitCode === null && reader.signalCode === null) await once(reader, 'exit');
    expect(text).toMatch(/^id: \S+\nevent: status\ndata: \{/m);
  });
});
