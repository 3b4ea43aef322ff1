import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createProcesses, startMachine, until } from '../harness/index.ts';
import { headOf, makeProject, type Step } from '../project.ts';
import { describeWith } from '../services.ts';
import { startScriptedModel, type Script } from './scripted-model.ts';
import { threadOf } from './thread.ts';
import { use } from './world.ts';

const isOfBrowser = ({ tool }: Step): boolean => tool.startsWith('browser_');

/** Goes through the steps, each with what the ones before it gave; those of the browser are a sub-agent's. */
const following = (steps: readonly Step[]) => {
  const results: string[] = [];
  let process = '';
  let running: Step | undefined;
  const script: Script = ({ tools, body }) => {
    if (tools.length === 0) return { text: 'A project' };
    const message = body.messages.at(-1);
    if (running !== undefined && message?.role === 'tool') {
      const text = JSON.stringify(message.content);
      results.push(text);
      if (running.tool === 'process_start') process = /p\d+-[0-9a-z]{6}/.exec(text)?.[0] ?? '';
    }
    const step = steps[results.length];
    const isSubAgent = !tools.includes('delegate');
    running = step !== undefined && isOfBrowser(step) === isSubAgent ? step : undefined;
    if (running !== undefined) return use(running.tool, running.args(process));
    if (isSubAgent || step === undefined) return { text: 'Done.' };
    const browsing = steps.filter(isOfBrowser).map(({ tool }) => tool);
    return use('delegate', {
      role: 'reader',
      instructions: 'Look at the page.',
      tools: [...new Set(browsing)],
    });
  };
  return { script, results };
};

describeWith(
  'bubblewrap',
  'git',
  'chromium',
)('a project, as the agent of the server works on it', () => {
  const programs = createProcesses();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'project-')));
  afterAll(async () => {
    await programs.stopAll();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is cloned, installed, tested, served, looked at, changed, committed and pushed with seven questions', async () => {
    const { steps, pushed, close } = await makeProject();
    const { script, results } = following(steps);
    const model = await startScriptedModel(script);
    const { ann } = await startMachine(programs, {
      env: { AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url },
      root: folder,
      flags: ['--permission-shell', 'ask'],
    });
    const thread = threadOf(ann, 'project');
    await thread.say('Clone the project, change its greeting, and push it.');
    const questions: string[] = [];
    await until(async () => {
      for (const { requestId, message } of await thread.asks()) {
        questions.push(message);
        await thread.answer(requestId, { kind: 'resourceDecision', resourceDecision: 'allowOnce' });
      }
      return (await thread.now()).runId === null;
    });
    for (const [at, { shows }] of steps.entries())
      expect(results[at]).toContain(JSON.stringify(shows).slice(1, -1));
    expect(pushed()).toBe(headOf(join(folder, 'app')));
    expect(questions.map((message) => message.replace(/ .*/, ''))).toEqual([
      'Run',
      'Run',
      'Run',
      'Run',
      'Change',
      'Run',
      'Run',
    ]);
    close();
    await model.close();
  });
});
