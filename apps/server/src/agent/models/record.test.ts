import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFakeClock } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { recordedIn, replayOf } from '../../../../../e2e/agent/replay.ts';
import type { Script } from '../../../../../e2e/agent/scripted-model.ts';
import { withAgent } from '../../../test/agent.ts';
import { createRecorder, recordLimits } from './record.ts';

const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-record-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'exchanges');
};

const key = 'key-of-the-model-42';
const secret = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
const tasks = [{ id: 'a', description: 'Read', status: 'todo' }];

/** What a thread holds after one message, in the order of its events. */
const play = async (script: Script, environment: Record<string, string> = {}) => {
  const { say, until, events } = await withAgent(script, { AGENT_MODEL_API_KEY: key, ...environment });
  await say(`Plan it with ${secret}`);
  expect((await until('run-finish')).payload.status).toBe('completed');
  await until('thread-title-updated', ({ payload }) => payload.title === 'A plan');
  return (await events()).flatMap(({ event }) =>
    event.type === 'text-block' || event.type === 'tasks-update' ? [event.payload] : [],
  );
};

const script: Script = ({ tools, body }) => {
  if (tools.length === 0) return { text: 'A plan' };
  if (body.messages.some(({ role }) => role === 'tool')) return { text: `Done with ${key}.` };
  return { text: 'First', calls: [{ name: 'update-tasks', arguments: { tasks } }] };
};

it('LG-07 AGENT_RECORD writes exchanges without keys, for their owner alone, and they can be replayed', async () => {
  const folder = newFolder();
  const recorded = await play(script, { AGENT_RECORD: folder });
  await expect.poll(() => recordedIn(folder).length).toBe(3);
  const files = readdirSync(folder).map((name) => join(folder, name));
  const modes = [folder, ...files].map((path) => statSync(path).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600, 0o600, 0o600]);
  const texts = files.map((path) => readFileSync(path, 'utf8')).join('\n');
  expect(texts).toContain('Plan it with');
  for (const hidden of [key, secret, 'authorization']) expect(texts.toLowerCase()).not.toContain(hidden);

  const replayed = await play(replayOf(folder));
  expect(replayed).toEqual(JSON.parse(JSON.stringify(recorded).replaceAll(key, '[hidden]')));
});

it('records 4 MiB of an answer, and 1,000 exchanges', async () => {
  const folder = newFolder();
  const errors: unknown[] = [];
  const needs = { folder, clock: createFakeClock(), scrub: (text: string) => text };
  const recorder = createRecorder({ ...needs, onError: (error) => void errors.push(error) });
  const exchange = recorder.begin();
  exchange?.answered({ path: '/v1', request: '{}', status: 200, contentType: 'text/plain' });
  exchange?.bytes(Buffer.alloc(recordLimits.bodyBytes, 'a'));
  exchange?.bytes(Buffer.from('beyond'));
  exchange?.end();
  await expect.poll(() => recordedIn(folder)).toMatchObject([{ body: 'a'.repeat(recordLimits.bodyBytes) }]);
  for (let n = 1; n < recordLimits.exchanges; n += 1) expect(recorder.begin()).not.toBeNull();
  expect([recorder.begin(), errors]).toEqual([null, []]);
});
