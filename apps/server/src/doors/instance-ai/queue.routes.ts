import { messageId, threadId } from '@drawbridge/contracts/agent/ids';
import { editQueuedInput } from '@drawbridge/contracts/agent/threads';
import type { FastifyRequest } from 'fastify';
import { done, idOf, type Route } from './route.ts';

const base = '/threads/:threadId/queued-messages';
const threadOf = (request: FastifyRequest) => idOf(request, 'threadId', threadId);
const queuedOf = (request: FastifyRequest) => ({
  threadId: threadOf(request),
  id: idOf(request, 'messageId', messageId),
});

const list: Route = {
  method: 'GET',
  path: base,
  right: 'person',
  handle: async ({ module }, { userId, request }) => ({
    messages: await module.agent.queue.list(userId, threadOf(request)),
  }),
};

const edit: Route = {
  method: 'PATCH',
  path: `${base}/:messageId`,
  right: 'person',
  handle: ({ module }, { userId, request }) => {
    const { text } = editQueuedInput.parse(request.body);
    return module.agent.queue.edit(userId, queuedOf(request), text);
  },
};

const remove: Route = {
  method: 'DELETE',
  path: `${base}/:messageId`,
  right: 'person',
  handle: async ({ module }, { userId, request }) => {
    await module.agent.queue.remove(userId, queuedOf(request));
    return done;
  },
};

const steer: Route = {
  method: 'POST',
  path: `${base}/:messageId/steer`,
  right: 'person',
  handle: ({ module }, { userId, request }) => module.agent.queue.steer(userId, queuedOf(request)),
};

const resume: Route = {
  method: 'POST',
  path: `${base}/resume`,
  right: 'person',
  handle: async ({ module }, { userId, request }) => {
    await module.agent.queue.resume(userId, threadOf(request));
    return done;
  },
};

export const queueRoutes = [list, edit, remove, steer, resume];
