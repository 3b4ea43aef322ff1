import { personSender } from '@drawbridge/agent';
import { confirmationText } from '@drawbridge/contracts/confirmation-text';
import { expect, it } from 'vitest';
import { withAgent, withMachine } from '../../test/agent.ts';
import { requestOf } from '../../test/daemon.ts';

it('answers a message with numbered events, and gives the thread a title', async () => {
  const { say, until, events, model } = await withAgent([{ text: 'Hello.' }, { text: 'Greeting' }]);
  await say('hi');
  await until('thread-title-updated', ({ payload }) => payload.title === 'Greeting');
  const all = await events();
  expect(all.map(({ event }) => event.type)).toEqual([
    'run-start',
    'user-message',
    'agent-spawned',
    'thread-title-updated',
    'text-block',
    'agent-completed',
    'run-finish',
    'thread-title-updated',
  ]);
  expect(all.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(model.requests.length).toBe(2);
});

it('uses a tool of the machine, whose call stands in the record with the thread', async () => {
  const { say, until, daemon, panel, model, snapshot, agent, userId } = await withMachine((_, number) =>
    number === 1
      ? { calls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] }
      : { text: 'It says hello.' },
  );
  await say('Read a.txt');
  const request = requestOf(await daemon.stream.next());
  const picture = { type: 'image' as const, data: 'aGVsbG8=', mimeType: 'image/png' };
  await daemon.respond(request.requestId, {
    result: { content: [{ type: 'text', text: 'hello' }, picture] },
  });
  const finish = await until('run-finish');
  const { pictures, toolCallId } = (await until('tool-result')).payload;
  expect((await snapshot()).view.calls[toolCallId]?.pictures).toEqual(pictures);
  expect(await agent.threads.file(userId, pictures?.[0] ?? '')).toMatchObject({ data: picture.data });
  expect(finish.payload).toMatchObject({ status: 'completed' });
  const { calls } = await panel.calls.list.query({});
  expect(calls[0]).toMatchObject({ tool: 'read_file', door: 'agent', via: { kind: 'thread', id: 'thread' } });
  expect(JSON.stringify(model.requests[1]?.body.messages)).toContain('hello');
});

it('asks before the machine writes, and continues with the answer', async () => {
  const { say, until, daemon, agent, userId, snapshot } = await withMachine((_, number) =>
    number === 1
      ? { calls: [{ name: 'write_file', arguments: { filePath: 'a', content: 'b' } }] }
      : { text: 'Done.' },
  );
  await say('Write');
  const asked = requestOf(await daemon.stream.next());
  const question = {
    toolGroup: 'filesystemWrite' as const,
    resource: '/home/person/project/a',
    description: 'Write a',
    options: ['allowOnce' as const, 'denyOnce' as const],
  };
  await daemon.respond(asked.requestId, {
    result: { isError: true, content: [{ type: 'text', text: confirmationText.encode(question) }] },
  });
  const ask = await until('confirmation-request');
  expect(ask.payload).toMatchObject({
    inputType: 'resource-decision',
    message: 'Write a',
    requestId: asked.requestId,
    // Specification, section 6.2: enough for a client to draw the question.
    resourceDecision: {
      resource: question.resource,
      description: question.description,
      options: question.options,
    },
  });
  expect(await agent.threads.asks(userId, 'thread')).toMatchObject([ask.payload]);
  await expect.poll(async () => (await snapshot()).now.status).toBe('suspended');
  await agent.confirm(userId, ask.payload.requestId, {
    kind: 'resourceDecision',
    resourceDecision: 'allowOnce',
  });
  const again = requestOf(await daemon.stream.next());
  expect(again.toolCall.arguments['_confirmation']).toBe('allowOnce');
  await daemon.respond(again.requestId, { result: { content: [{ type: 'text', text: 'written' }] } });
  expect((await until('run-finish')).payload.status).toBe('completed');
  expect((await until('confirmation-closed')).payload).toMatchObject({ outcome: 'answered' });
});

it('continues after a run that failed, without a new message, and refuses while a run is open', async () => {
  const asked: string[] = [];
  const { say, until, agent, userId, types, snapshot } = await withAgent(({ body, tools }) => {
    if (tools.length === 0) return { text: 'A title' };
    return asked.push(JSON.stringify(body.messages)) === 1 ? { status: 401 } : { end: 'silent' };
  });
  const person = personSender(userId, 'panel');
  await expect(agent.continue(person, 'thread')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await say('Write it');
  await until('run-finish', ({ payload }) => payload.status === 'error');
  const { runId } = await agent.continue(person, 'thread');
  await expect(agent.continue(person, 'thread')).rejects.toMatchObject({ code: 'RUN_ACTIVE' });
  await expect.poll(() => asked[1]).toMatch(/Write it.*asked you to continue.*ended with an error/);
  await agent.cancel(userId, 'thread');
  await until('run-finish', (event) => event.runId === runId);
  const { view } = await snapshot();
  expect(view.runs.map(({ kind, status }) => [kind, status])).toEqual([
    ['message', 'error'],
    ['continue', 'cancelled'],
  ]);
  expect((await types()).filter((type) => type === 'user-message')).toHaveLength(1);
});

it('AG-10 stops within 2 s while the model thinks, a call runs, or a question is open', async () => {
  const { say, until, agent, userId, daemon, model, panel, types } = await withMachine((_, number) =>
    number === 1 ? { text: 'Thinking', end: 'silent' } : { calls: [{ name: 'read_file', arguments: {} }] },
  );
  await say('one');
  const request = await model.request(1);
  await agent.cancel(userId, 'thread');
  await request.closed;
  expect((await until('run-finish')).payload.status).toBe('cancelled');
  const { runId } = (await say('two')) as { runId: string };
  const call = requestOf(await daemon.stream.next());
  await agent.cancel(userId, 'thread');
  expect(await panel.calls.get.query({ requestId: call.requestId })).toMatchObject({ state: 'cancelled' });
  expect((await until('run-finish', (event) => event.runId === runId)).payload.status).toBe('cancelled');
  await agent.cancel(userId, 'thread');
  expect((await types()).filter((type) => type === 'run-finish').length).toBe(2);
});
