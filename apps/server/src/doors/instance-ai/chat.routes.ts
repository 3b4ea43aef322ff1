import type { FastifyRequest } from 'fastify';
import { chatBodyLimit, correctInput, sendInput } from '@drawbridge/contracts/agent/threads';
import { done, idOf, route } from './route.ts';

const taskOf = (request: FastifyRequest) => ({
  threadId: idOf(request, 'threadId'),
  taskId: idOf(request, 'taskId'),
});

export const chatRoutes = [
  // A message, which makes an unknown thread; or a command such as `/queue`, which is answered.
  {
    ...route('POST /chat/:threadId', 'chat', ({ module }, { sender, request }) =>
      module.agent.send(sender, idOf(request, 'threadId'), sendInput.parse(request.body)),
    ),
    bodyLimit: chatBodyLimit,
  },
  // A run without a new message.
  route('POST /chat/:threadId/continue', 'chat', ({ module }, { sender, request }) =>
    module.agent.continue(sender, idOf(request, 'threadId')),
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
