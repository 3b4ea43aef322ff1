import { threadId, toolCallId } from '@drawbridge/contracts/agent/ids';
import {
  changeThreadInput,
  listThreadsInput,
  messagesInput,
  wholeCall,
} from '@drawbridge/contracts/agent/threads';
import { nanoid } from 'nanoid';
import { z } from 'zod';
import { errors } from '../../errors.ts';
import { done, idOf, queryOf, type Route } from './route.ts';

const createInput = z.strictObject({ id: threadId.optional() });

const list: Route = {
  method: 'GET',
  path: '/threads',
  right: 'chat',
  handle: ({ module }, { userId, request }) =>
    module.agent.threads.list(userId, listThreadsInput.parse(queryOf(request))),
};

/** A thread that is there already is returned as it is. */
const create: Route = {
  method: 'POST',
  path: '/threads',
  right: 'chat',
  handle: ({ module }, { userId, request }) => {
    const { id = nanoid() } = createInput.parse(request.body ?? {});
    return module.agent.threads.create(userId, id);
  },
};

const get: Route = {
  method: 'GET',
  path: '/threads/:threadId',
  right: 'person',
  handle: ({ module }, { userId, request }) =>
    module.agent.threads.get(userId, idOf(request, 'threadId', threadId)),
};

const change: Route = {
  method: 'PATCH',
  path: '/threads/:threadId',
  right: 'person',
  handle: ({ module }, { userId, request }) =>
    module.agent.threads.change(
      userId,
      idOf(request, 'threadId', threadId),
      changeThreadInput.parse(request.body),
    ),
};

const remove: Route = {
  method: 'DELETE',
  path: '/threads/:threadId',
  right: 'person',
  handle: async ({ module }, { userId, request }) => {
    await module.agent.threads.remove(userId, idOf(request, 'threadId', threadId));
    return done;
  },
};

/** What the thread shows, and the number of the event to follow it from. */
const messages: Route = {
  method: 'GET',
  path: '/threads/:threadId/messages',
  right: 'person',
  handle: ({ module }, { userId, request }) =>
    module.agent.threads.snapshot(
      userId,
      idOf(request, 'threadId', threadId),
      messagesInput.parse(queryOf(request)),
    ),
};

const status: Route = {
  method: 'GET',
  path: '/threads/:threadId/status',
  right: 'person',
  handle: ({ module }, { userId, request }) =>
    module.agent.threads.now(userId, idOf(request, 'threadId', threadId)),
};

const toolCall: Route = {
  method: 'GET',
  path: '/threads/:threadId/tool-calls/:toolCallId',
  right: 'person',
  handle: async ({ module }, { userId, request }) => {
    const thread = idOf(request, 'threadId', threadId);
    const call = await module.agent.threads.toolCall(userId, idOf(request, 'toolCallId', toolCallId));
    if (call.threadId !== thread) throw errors.notFound();
    return wholeCall.parse(call);
  },
};

export const threadRoutes = [list, create, get, change, remove, messages, status, toolCall];
