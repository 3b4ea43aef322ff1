import type { FastifyRequest } from 'fastify';
import { chatBodyLimit, correctInput, sendInput } from '@drawbridge/contracts/agent/threads';
import { done, idOf, route } from './route.ts';

const taskOf = (request: FastifyRequest) => ({
  threadId: idOf(request, 'threadId'),
  taskId: idOf(request, 'taskId'),
});

export const chatRoutes = [
  // A message: an unknown id makes the thread.
  {
    ...route('POST /chat/:threadId', 'chat', ({ module }, { userId, request }) =>
      module.agent.send(userId, idOf(request, 'threadId'), sendInput.parse(request.body)),
    ),
    bodyLimit: chatBodyLimit,
  },
  // A run without a new message.
  route('POST /chat/:threadId/continue', 'chat', ({ module }, { userId, request }) =>
    module.agent.continue(userId, idOf(request, 'threadId')),
  ),
  route('POST /chat/:threadId/cancel', 'chat', async ({ module }, { userId, request }) => {
    await module.agent.cancel(userId, idOf(request, 'threadId'));
    return done;
  }),
  route('POST /chat/:threadId/tasks/:taskId/cancel', 'person', async ({ module }, { userId, request }) => {
    await module.agent.tasks.cancel(userId, taskOf(request));
    return done;
  }),
  route('POST /chat/:threadId/tasks/:taskId/correct', 'person', async ({ module }, { userId, request }) => {
    const { message } = correctInput.parse(request.body);
    await module.agent.tasks.correct(userId, taskOf(request), message);
    return done;
  }),
];
