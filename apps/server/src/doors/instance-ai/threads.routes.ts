import { threadId } from '@drawbridge/contracts/agent/ids';
import {
  changeThreadInput,
  listThreadsInput,
  messagesInput,
  wholeCall,
} from '@drawbridge/contracts/agent/threads';
import { nanoid } from 'nanoid';
import { z } from 'zod';
import { errors } from '../../errors.ts';
import { done, idOf, queryOf, route } from './route.ts';

const createInput = z.strictObject({ id: threadId.optional() });

export const threadRoutes = [
  route('GET /threads', 'chat', ({ module }, { userId, owner, request }) =>
    module.agent.threads.list(userId, listThreadsInput.parse(queryOf(request)), owner),
  ),
  // A thread that is there already is returned as it is.
  route('POST /threads', 'chat', ({ module }, { userId, owner, request }) => {
    const { id = nanoid() } = createInput.parse(request.body ?? {});
    return module.agent.threads.create(userId, id, owner);
  }),
  route('GET /threads/:threadId', 'chat', async ({ module }, { userId, request }) => {
    const id = idOf(request, 'threadId');
    const { threads } = module.agent;
    return { ...(await threads.get(userId, id)), asks: await threads.asks(userId, id) };
  }),
  route('PATCH /threads/:threadId', 'person', ({ module }, { userId, request }) =>
    module.agent.threads.change(userId, idOf(request, 'threadId'), changeThreadInput.parse(request.body)),
  ),
  route('DELETE /threads/:threadId', 'person', async ({ module }, { userId, request }) => {
    await module.agent.threads.remove(userId, idOf(request, 'threadId'));
    return done;
  }),
  // What the thread shows, and the number of the event to follow it from.
  route('GET /threads/:threadId/messages', 'chat', ({ module }, { userId, request }) =>
    module.agent.threads.snapshot(userId, idOf(request, 'threadId'), messagesInput.parse(queryOf(request))),
  ),
  route('GET /threads/:threadId/status', 'chat', ({ module }, { userId, request }) =>
    module.agent.threads.now(userId, idOf(request, 'threadId')),
  ),
  route('GET /threads/:threadId/tool-calls/:toolCallId', 'chat', async ({ module }, { userId, request }) => {
    const thread = idOf(request, 'threadId');
    const call = await module.agent.threads.toolCall(userId, idOf(request, 'toolCallId'));
    if (call.threadId !== thread) throw errors.notFound();
    return wholeCall.parse(call);
  }),
];
