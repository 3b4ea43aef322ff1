import type { CallEvent } from '@drawbridge/contracts/calls';
import type { Confirmation } from '@drawbridge/contracts/confirmation';
import { confirmationText } from '@drawbridge/contracts/confirmation-text';
import { expect, it } from 'vitest';
import { connectDaemon, requestOf } from './daemon.ts';
import { createPanel, type Panel } from './panel.ts';
import { signUpOwner, startServer } from './server.ts';

/** Notes what happens, and lets a test wait until something has. */
const createNotes = () => {
  const notes: string[] = [];
  let wake: () => void = () => {};
  return {
    notes,
    add: (note: string) => {
      notes.push(notes.includes(note) ? `${note} again` : note);
      wake();
    },
    has: async (note: string) => {
      while (!notes.includes(note)) await new Promise<void>((resolve) => (wake = resolve));
    },
  };
};

const describeCall = (event: CallEvent) =>
  event.type === 'call' ? `record: ${event.call.state}` : 'record: progress';

/** Opens a subscription and resolves once it is heard. */
const listen = (subscribe: (started: () => void) => { unsubscribe(): void }) =>
  new Promise<{ unsubscribe(): void }>((resolve) => {
    const subscription = subscribe(() => resolve(subscription));
  });

/** Notes the calls, and hands over what is asked; gives the end of the subscription. */
const watch = async (
  panel: Panel,
  add: (note: string) => void,
  asked: (confirmation: Confirmation) => void,
) => {
  const subscription = await listen((onStarted) =>
    panel.live.onEvent.subscribe(undefined, {
      onStarted,
      onData: ({ data: { topic, event } }) => {
        if (topic === 'calls') add(describeCall(event));
        if (topic === 'confirmations' && event.confirmation.state === 'open') asked(event.confirmation);
      },
    }),
  );
  return () => subscription.unsubscribe();
};

const question = {
  toolGroup: 'filesystemWrite',
  resource: '/home/person/project/note.txt',
  description: 'Write note.txt',
  options: ['allowOnce', 'allowForSession', 'alwaysAllow', 'denyOnce', 'alwaysDeny'],
};

it('walks one tool call from the panel to the machine and back', async () => {
  const server = await startServer();
  const panel = createPanel(server, await signUpOwner(server));
  const { token } = await panel.gateway.createLink.mutate();
  const daemon = await connectDaemon(server, token);
  const { notes, add, has } = createNotes();
  let ask: (confirmation: Confirmation) => void = () => {};
  const asked = new Promise<Confirmation>((resolve) => (ask = resolve));
  const stop = await watch(panel, add, ask);

  // 1, 2: the panel wants a tool; a caller cannot decide for the person.
  add('panel: runs write_file');
  const content = { filePath: 'note.txt', content: 'hello' };
  const run = panel.calls.run.mutate({
    name: 'write_file',
    arguments: { ...content, _confirmation: 'allowOnce' },
  });

  // 3, 4: it is written down and on the machine's stream.
  const first = requestOf(await daemon.stream.next());
  expect(first.toolCall).toEqual({ name: 'write_file', arguments: content });
  await has('record: delivered');
  add('daemon: asks first');

  // 5, 6: the machine's rules say ask.
  const text = confirmationText.encode(question);
  await daemon.respond(first.requestId, { result: { content: [{ type: 'text', text }], isError: true } });

  // 7: the question is stored, shown and answered; the call goes out again with the answer.
  const confirmation = await asked;
  const waiting = await run;
  expect({ state: waiting.state, confirmationId: waiting.confirmationId }).toEqual({
    state: 'awaiting-confirmation',
    confirmationId: confirmation.id,
  });
  expect(confirmation).toMatchObject({ tool: 'write_file', arguments: content, ...question });
  await has('record: awaiting-confirmation');
  add('panel: decides allowOnce');
  const answer = { confirmationId: confirmation.id, approved: true, resourceDecision: 'allowOnce' } as const;
  expect(await panel.confirmations.decide.mutate(answer)).toMatchObject({
    state: 'decided',
    decision: 'allowOnce',
  });
  const second = requestOf(await daemon.stream.next());
  expect({ requestId: second.requestId, toolCall: second.toolCall }).toEqual({
    requestId: first.requestId,
    toolCall: { name: 'write_file', arguments: { ...content, _confirmation: 'allowOnce' } },
  });

  // 8, 9: the tool runs, its result is posted and settles the call; every watcher has seen it.
  await has('record: delivered again');
  add('daemon: posts the result');
  const result = { content: [{ type: 'text' as const, text: 'written' }] };
  expect((await daemon.respond(first.requestId, { result })).json).toEqual({ ok: true });
  await has('record: succeeded');
  stop();

  expect(await panel.calls.get.query({ requestId: first.requestId })).toMatchObject({
    state: 'succeeded',
    door: 'trpc',
    arguments: content,
    result,
    decision: 'allowOnce',
    confirmationId: null,
  });
  expect(notes).toEqual([
    'panel: runs write_file',
    'record: delivered',
    'daemon: asks first',
    'record: awaiting-confirmation',
    'panel: decides allowOnce',
    'record: pending',
    'record: delivered again',
    'daemon: posts the result',
    'record: succeeded',
  ]);
});
