import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createProcesses,
  ended,
  questionOf,
  run,
  startMachine,
  type Daemon,
  type Person,
  type Server,
} from './harness/index.ts';

const processes = createProcesses();
let ann: Person;
let daemon: Daemon;
let server: Server;

beforeAll(async () => {
  ({ ann, daemon, server } = await startMachine(processes));
});

afterAll(() => processes.stopAll());

it('CF-27 20 open questions are settled by one lasting answer', async () => {
  const asked = await Promise.all(
    Array.from({ length: 20 }, (_, at) => run(ann, 'write_file', { filePath: `${at}.txt`, content: 'x' })),
  );
  const questions = await ann.api.confirmations.list.query();
  expect(questions).toHaveLength(20);
  const [first] = questions;
  await ann.api.confirmations.decide.mutate({
    confirmationId: first?.id ?? '',
    approved: true,
    resourceDecision: 'allowForSession',
    reach: first?.reaches.find(({ scope, durationMs }) => scope === 'folder' && !durationMs)?.id,
  });
  const calls = await Promise.all(asked.map(({ requestId }) => ended(ann, requestId)));
  expect(new Set(calls.map(({ state }) => state))).toEqual(new Set(['succeeded']));
  expect(readdirSync(daemon.root)).toHaveLength(20);
  expect(await ann.api.confirmations.list.query()).toEqual([]);
  const decisions = calls.map(({ decision, decidedBy }) => `${decision} ${decidedBy !== null}`);
  expect(decisions.toSorted()).toEqual(['allowForSession true', ...Array(19).fill('allowOnce true')]);
  await daemon.process.says(/also settled 19 other questions/);
});

it('RC-08 what is allowed one token for the session is asked about for another', async () => {
  const [first, second] = await Promise.all(
    ['Claude Code', 'Nightly'].map(async (name) => {
      const { token } = await ann.api.tokens.create.mutate({ name, scopes: ['filesystemWrite'] });
      return async (content: string) => {
        const response = await fetch(`${server.url}/api/v1/calls`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            prefer: 'respond-async',
          },
          body: JSON.stringify({ name: 'write_file', arguments: { filePath: 'one.txt', content } }),
        });
        return z.object({ requestId: z.string() }).parse(await response.json()).requestId;
      };
    }),
  );
  if (first === undefined || second === undefined) throw new Error('no token');
  const left = await ann.api.rules.list.query();
  for (const { id } of left.rules) await ann.api.rules.remove.mutate({ ruleId: id });
  const asked = await first('a');
  const { id, reaches } = await questionOf(ann, asked);
  const reach = reaches.find(({ scope, durationMs }) => scope === 'exact-caller' && durationMs === undefined);
  expect(reach?.label).toMatch(/^change or delete .*one\.txt, only for "Claude Code" \(access token\)$/);
  const answer = {
    confirmationId: id,
    approved: true,
    resourceDecision: 'alwaysAllow',
    reach: reach?.id,
  } as const;
  await ann.api.confirmations.decide.mutate(answer);
  expect(await ended(ann, asked)).toMatchObject({ state: 'succeeded', decision: 'alwaysAllow' });
  expect(await ended(ann, await first('b'))).toMatchObject({ state: 'succeeded', decision: null });
  const other = await second('c');
  expect(await questionOf(ann, other)).toMatchObject({ via: { name: 'Nightly' } });
  expect((await ann.api.rules.list.query()).rules).toMatchObject([
    { effect: 'allow', caller: '"Claude Code" (access token)' },
  ]);
  await ann.api.calls.cancel.mutate({ requestId: other });
});
