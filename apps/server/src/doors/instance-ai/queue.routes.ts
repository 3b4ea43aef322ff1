import { editQueuedInput } from '@drawbridge/contracts/agent/threads';
import type { FastifyRequest } from 'fastify';
import { done, idOf, route } from './route.ts';

const base = '/threads/:threadId/queued-messages';
const threadOf = (request: FastifyRequest) => idOf(request, 'threadId');
const queuedOf = (request: FastifyRequest) => ({
  threadId: threadOf(request),
  id: idOf(request, 'messageId'),
});

export const queueRoutes = [
  route(`GET ${base}`, 'person', async ({ module }, { userId, request }) => ({
    messages: await module.agent.queue.list(userId, threadOf(request)),
  })),
  route(`PATCH ${base}/:messageId`, 'person', ({ module }, { userId, request }) => {
    const { text } = editQueuedInput.parse(request.body);
    return module.agent.queue.edit(userId, queuedOf(request), text);
  }),
  route(`DELETE ${base}/:messageId`, 'person', async ({ module }, { userId, request }) => {
    await module.agent.queue.remove(userId, queuedOf(request));
    return done;
  }),
  route(`POST ${base}/:messageId/steer`, 'person', ({ module }, { userId, request }) =>
    module.agent.queue.steer(userId, queuedOf(request)),
  ),
  route(`POST ${base}/resume`, 'person', async ({ module }, { userId, request }) => {
    await module.agent.queue.resume(userId, threadOf(request));
    return done;
  }),
];
