import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  callMcp,
  connectDaemon,
  createProcesses,
  startServer,
  until,
  type Person,
  type Server,
} from './harness/index.ts';
import { headOf, makeProject } from './project.ts';
import { describeWith } from './services.ts';

describeWith(
  'bubblewrap',
  'git',
  'chromium',
)('a project, as an agent with an MCP client works on it', () => {
  const programs = createProcesses();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'project-')));
  let server: Server;
  let ann: Person;
  let token = '';
  const questions: string[] = [];

  beforeAll(async () => {
    server = await startServer(programs);
    ann = await server.createOwner();
    // The permissions of the README, with commands on ask.
    const flags = ['--permission-shell', 'ask'];
    await connectDaemon(programs, { person: ann, url: server.url, root: folder, flags });
    const scopes = ['filesystemRead', 'filesystemWrite', 'shell', 'browser'] as const;
    ({ token } = await ann.api.tokens.create.mutate({ name: 'Agent', scopes: [...scopes] }));
  });
  afterAll(async () => {
    await programs.stopAll();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Answers each question with yes, until the call has its result. */
  const call = async (name: string, args: Record<string, unknown>): Promise<string> => {
    const state = { isOver: false };
    const answered = callMcp(server.url, { token, tool: name, args }).finally(() => (state.isOver = true));
    await until(async () => {
      for (const { id, title } of await ann.api.confirmations.list.query()) {
        questions.push(title ?? '');
        await ann.api.confirmations.decide.mutate({ confirmationId: id, approved: true });
      }
      return state.isOver;
    });
    return answered;
  };

  it('is cloned, installed, tested, served, looked at, changed, committed and pushed with seven questions', async () => {
    const { steps, pushed, close } = await makeProject();
    let process = '';
    for (const { tool, args, shows } of steps) {
      const text = await call(tool, args(process));
      expect(text).toContain(shows);
      if (tool === 'process_start') ({ process } = JSON.parse(text) as { process: string });
    }
    expect(pushed()).toBe(headOf(join(folder, 'app')));
    expect(questions.map((title) => title.split(/ [“"]?(?=git|npm|app)/)[0])).toEqual([
      'Run',
      'Run',
      'Run',
      'Run',
      'Change',
      'Run',
      'Run',
    ]);
    close();
  });
});
