import type { FastifyRequest } from 'fastify';
import { taskId, threadId } from '@drawbridge/contracts/agent/ids';
import { chatBodyLimit, correctInput, sendInput } from '@drawbridge/contracts/agent/threads';
import { done, idOf, type Route } from './route.ts';

/** `POST /chat/:threadId`: a message; an unknown id makes the thread. */
const send: Route = {
  method: 'POST',
  path: '/chat/:threadId',
  right: 'chat',
  bodyLimit: chatBodyLimit,
  handle: ({ module }, { userId, request }) =>
    module.agent.send(userId, idOf(request, 'threadId', threadId), sendInput.parse(request.body)),
};

/** A run without a new message. */
const continueRun: Route = {
  method: 'POST',
  path: '/chat/:threadId/continue',
  right: 'chat',
  handle: ({ module }, { userId, request }) =>
    module.agent.continue(userId, idOf(request, 'threadId', threadId)),
};

const cancel: Route = {
  method: 'POST',
  path: '/chat/:threadId/cancel',
  right: 'chat',
  handle: async ({ module }, { userId, request }) => {
    await module.agent.cancel(userId, idOf(request, 'threadId', threadId));
    return done;
  },
};

const taskOf = (request: FastifyRequest) => ({
  threadId: idOf(request, 'threadId', threadId),
  taskId: idOf(request, 'taskId', taskId),
});

const cancelTask: Route = {
  method: 'POST',
  path: '/chat/:threadId/tasks/:taskId/cancel',
  right: 'person',
  handle: async ({ module }, { userId, request }) => {
    await module.agent.tasks.cancel(userId, taskOf(request));
    return done;
  },
};

const correctTask: Route = {
  method: 'POST',
  path: '/chat/:threadId/tasks/:taskId/correct',
  right: 'person',
  handle: async ({ module }, { userId, request }) => {
    const { message } = correctInput.parse(request.body);
    await module.agent.tasks.correct(userId, taskOf(request), message);
    return done;
  },
};

export const chatRoutes = [send, continueRun, cancel, cancelTask, correctTask];
