import { expect, it } from 'vitest';
import { appRouter } from '../src/doors/trpc/app.router.ts';
import { withAgent, threadOf } from './agent.ts';
import { isOfAgent } from './agent-ids.ts';
import { differences, expectKnownToAnn, type WithId } from './foreign-ids.ts';
import { createPanel } from './panel.ts';
import { procedureWithId } from './procedures.ts';
import { invited } from './tenants.ts';

/** Many requests, on machines that run many tests at once. */
const limitMs = 60_000;
const thread = 'anns-thread';

const ofThread = (name: string, own?: string, more: object = {}) =>
  procedureWithId(`agent.${name}`, own, (threadId) => ({ threadId, ...more }));
const inThread = (name: string, kind: string, more: object = {}) =>
  procedureWithId(`agent.${name}`, undefined, (id) => ({ threadId: thread, [kind]: id, ...more }));

const procedures: Record<string, WithId> = {
  'agent.messages': ofThread('messages', 'thread'),
  'agent.threads.get': ofThread('threads.get', 'thread'),
  'agent.threads.change': ofThread('threads.change', undefined, { title: 'Mine' }),
  'agent.threads.remove': ofThread('threads.remove'),
  'agent.cancel': ofThread('cancel'),
  'agent.continue': ofThread('continue'),
  'agent.run': procedureWithId('agent.run', 'run', (runId) => ({ runId })),
  'agent.queue.list': ofThread('queue.list', 'thread'),
  'agent.canvas.list': ofThread('canvas.list', 'thread'),
  'agent.canvas.get': inThread('canvas.get', 'artifactId'),
  'agent.queue.resume': ofThread('queue.resume'),
  'agent.queue.edit': inThread('queue.edit', 'id', { text: 'forged' }),
  'agent.queue.remove': inThread('queue.remove', 'id'),
  'agent.queue.steer': inThread('queue.steer', 'id'),
  'agent.tasks.cancel': inThread('tasks.cancel', 'taskId'),
  'agent.tasks.correct': inThread('tasks.correct', 'taskId', { text: 'forged' }),
  'agent.toolCall': procedureWithId('agent.toolCall', 'tool call', (toolCallId) => ({ toolCallId })),
  'agent.confirm': procedureWithId('agent.confirm', undefined, (requestId) => ({
    requestId,
    answer: { kind: 'approval', approved: true },
  })),
};
/** They serve the session's own user; the first three make a thread of that user, whatever its id. */
const withoutId = [
  'agent.send',
  'agent.threads.create',
  'agent.events',
  'agent.status',
  'agent.credits',
  'agent.runtimes',
  'agent.threads.list',
  'agent.threads.removeAll',
  'agent.asks',
  'agent.memory.get',
  'agent.memory.change',
  'agent.settings.get',
  'agent.settings.change',
  'agent.settings.verify',
  'agent.settings.userKeys.get',
  'agent.settings.userKeys.change',
];

const route = (
  path: (id: string) => string,
  { method = 'GET', body, own }: { method?: string; body?: unknown; own?: string } = {},
): WithId => ({
  ...(own !== undefined && { own }),
  ask: (id) => ({ path: `/api/v1/instance-ai${path(id)}`, method, ...(body !== undefined && { body }) }),
});
const answer = { kind: 'approval', approved: true };
const routes: Record<string, WithId> = {
  'GET /threads/:threadId': route((id) => `/threads/${id}`, { own: 'thread' }),
  'PATCH /threads/:threadId': route((id) => `/threads/${id}`, { method: 'PATCH', body: { title: 'Mine' } }),
  'DELETE /threads/:threadId': route((id) => `/threads/${id}`, { method: 'DELETE' }),
  'GET /threads/:threadId/messages': route((id) => `/threads/${id}/messages`, { own: 'thread' }),
  'GET /threads/:threadId/status': route((id) => `/threads/${id}/status`, { own: 'thread' }),
  'GET /threads/:threadId/tool-calls/:toolCallId': route((id) => `/threads/${thread}/tool-calls/${id}`, {
    own: 'tool call',
  }),
  'GET /threads/:threadId/queued-messages': route((id) => `/threads/${id}/queued-messages`, {
    own: 'thread',
  }),
  'POST /threads/:threadId/queued-messages/resume': route((id) => `/threads/${id}/queued-messages/resume`, {
    method: 'POST',
  }),
  'PATCH /threads/:threadId/queued-messages/:messageId': route(
    (id) => `/threads/${thread}/queued-messages/${id}`,
    { method: 'PATCH', body: { text: 'forged' } },
  ),
  'DELETE /threads/:threadId/queued-messages/:messageId': route(
    (id) => `/threads/${thread}/queued-messages/${id}`,
    { method: 'DELETE' },
  ),
  'POST /threads/:threadId/queued-messages/:messageId/steer': route(
    (id) => `/threads/${thread}/queued-messages/${id}/steer`,
    { method: 'POST' },
  ),
  'POST /chat/:threadId/continue': route((id) => `/chat/${id}/continue`, { method: 'POST' }),
  'POST /chat/:threadId/cancel': route((id) => `/chat/${id}/cancel`, { method: 'POST' }),
  'POST /chat/:threadId/tasks/:taskId/cancel': route((id) => `/chat/${thread}/tasks/${id}/cancel`, {
    method: 'POST',
  }),
  'POST /chat/:threadId/tasks/:taskId/correct': route((id) => `/chat/${thread}/tasks/${id}/correct`, {
    method: 'POST',
    body: { message: 'forged' },
  }),
  'POST /confirm/:requestId': route((id) => `/confirm/${id}`, { method: 'POST', body: answer }),
  'GET /files/:fileId': route((id) => `/files/${id}`, { own: 'file' }),
  'GET /events/:threadId': route((id) => `/events/${id}`),
};
const routesWithoutId = [
  'POST /chat/:threadId',
  'GET /threads',
  'POST /threads',
  'GET /memory',
  'PATCH /memory',
  'GET /usage',
  'GET /credits',
  'GET /settings',
  'PATCH /settings',
  'GET /settings/user-keys',
  'PATCH /settings/user-keys',
  'POST /settings/verify/:target',
];

/** Ann's thread, with a question, a file and a queued message; and Ben. */
const createWorld = async () => {
  const questions = [{ id: 'q', question: 'Which?', type: 'text' }];
  const world = await withAgent([{ calls: [{ name: 'ask-user', arguments: { questions } }] }], {
    NOT_FOUND_PER_MINUTE: '100000',
  });
  const { server, agent, userId, cookie, panel } = world;
  const anns = threadOf(agent, userId, thread);
  const attachments = [{ name: 'a.txt', mediaType: 'text/plain', data: 'b25seSBmb3IgQW5u' }];
  await anns.say('only for Ann', { attachments });
  const asked = await anns.until('confirmation-request');
  const queued = await anns.say('later', { mode: 'queue' });
  const { view } = await anns.snapshot();
  const [message] = Object.values(view.messages);
  const benCookie = await invited(server, panel);
  const bensToken = await createPanel(server, benCookie).tokens.create.mutate({
    name: 'Chat',
    scopes: ['chat'],
  });
  return {
    ...anns,
    server,
    agent,
    ids: {
      thread,
      question: asked.payload.requestId,
      'tool call': asked.payload.toolCallId ?? '',
      file: message?.files[0]?.id ?? '',
      'queued message': 'queuedId' in queued ? queued.queuedId : '',
      run: view.runs[0]?.id ?? '',
    },
    proofs: {
      session: { cookie: benCookie },
      token: { authorization: `Bearer ${bensToken.token}` },
      nothing: {},
    },
    annsProof: { cookie },
  };
};

it(
  'US-05 the agent answers an id of another user as an unknown one',
  async () => {
    const world = await createWorld();
    const names = Object.keys(appRouter._def.procedures).filter((name) => name.startsWith('agent.'));
    expect([...Object.keys(procedures), ...withoutId].toSorted()).toEqual(names.toSorted());
    const mount = '/api/v1/instance-ai';
    const served = world.server.app
      .routes()
      .filter(({ url }) => isOfAgent(url) && url.startsWith(mount))
      .map(({ method, url }) => `${method} ${url.slice(mount.length)}`);
    const listed = [...Object.keys(routes).filter((name) => !name.includes('/confirm/')), ...routesWithoutId];
    expect(listed.filter((name) => !served.includes(name))).toEqual([]);

    expect(await differences(world, procedures)).toEqual([]);
    expect(await differences(world, routes)).toEqual([]);
    await expectKnownToAnn(world, procedures);
    await expectKnownToAnn(world, routes);
    expect((await world.snapshot()).now).toMatchObject({ status: 'suspended', queue: [{ text: 'later' }] });
  },
  limitMs,
);
