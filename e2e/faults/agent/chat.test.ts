import { systemClock } from '@drawbridge/kit';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startScriptedModel, type ScriptedModel } from '../../agent/scripted-model.ts';
import { createProcesses, newFolder, startServer, until } from '../../harness/index.ts';
import { createHistory } from '../history.ts';
import { createChat, type Chat } from './chat.ts';
import type { PlannedMessage } from './plan.ts';

const gate = Promise.withResolvers<void>();
const processes = createProcesses();
const history = createHistory(join(newFolder('chat'), 'history.jsonl'), systemClock.now);
let model: ScriptedModel;
let chat: Chat;

beforeAll(async () => {
  model = await startScriptedModel(() => ({ text: 'Done.', until: gate.promise }));
  const server = await startServer(processes, { AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url });
  chat = createChat({ index: 0, person: await server.createOwner(), history });
});
afterAll(async () => {
  chat.stop();
  await processes.stopAll();
  await model.close();
  await history.close();
});

it('waits for the threads that the server has, and not for one whose messages it never got', async () => {
  await chat.act({ atMs: 0, kind: 'thread', user: 0, thread: 'never', act: 'stop' });
  expect(await chat.busy()).toEqual([]);

  const message: PlannedMessage = {
    ...{ kind: 'message', user: 0, thread: 'begun', work: 'talk', ops: ['op-500001'], takesMs: 0 },
    ...{ mode: 'reject', answer: 'allow', answerAfterMs: 0, door: 'chat', model: null },
  };
  await chat.message(message);
  expect(await chat.busy()).toEqual(['thread begun: active, 0 queued']);
  gate.resolve();
  await until(async () => (await chat.busy()).length === 0);
});
