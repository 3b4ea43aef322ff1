import { personSender } from '@drawbridge/agent';
import { askAnswer } from '@drawbridge/contracts/agent/asks';
import { askRequestId, runId, toolCallId } from '@drawbridge/contracts/agent/ids';
import type { AgentStatus } from '@drawbridge/contracts/agent/settings';
import { messagesInput, sendInput, threadIdInput, wholeCall } from '@drawbridge/contracts/agent/threads';
import { z } from 'zod';
import { agentProcedure, ok, router, userProcedure } from '../trpc.ts';
import { canvasRouter } from './canvas.router.ts';
import { eventsProcedure } from './events.ts';
import { memoryRouter } from './memory.router.ts';
import { agentSettingsRouter } from './settings.router.ts';
import { tasksRouter } from './tasks.router.ts';
import { queueRouter, threadsRouter } from './threads.router.ts';

const channel = 'panel';
const noModule: AgentStatus = { module: false, enabled: false, model: null };

/** The built-in agent, for the person who is signed in. */
export const agentRouter = router({
  status: userProcedure.query(({ ctx }) => ctx.agent?.status(ctx.userId) ?? noModule),
  /** A message, which makes an unknown thread; or a command such as `/queue`, which is answered. */
  send: agentProcedure
    .input(sendInput.extend(threadIdInput.shape))
    .mutation(({ ctx, input: { threadId, ...input } }) =>
      ctx.agent.send(personSender(ctx.userId, channel), threadId, input),
    ),
  /** A run without a new message, after one that was stopped, interrupted or failed. */
  continue: agentProcedure
    .input(threadIdInput)
    .mutation(({ ctx, input }) => ctx.agent.continue(personSender(ctx.userId, channel), input.threadId)),
  cancel: agentProcedure
    .input(threadIdInput)
    .mutation(({ ctx, input }) => ok(ctx.agent.cancel(ctx.userId, input.threadId))),
  confirm: agentProcedure
    .input(z.strictObject({ requestId: askRequestId, answer: askAnswer }))
    .mutation(({ ctx, input: { requestId, answer } }) => ctx.agent.confirm(ctx.userId, requestId, answer)),
  /** The agent's open questions in all chats. */
  asks: agentProcedure.query(({ ctx }) => ctx.agent.openAsks(ctx.userId)),
  messages: agentProcedure
    .input(messagesInput.extend(threadIdInput.shape))
    .query(({ ctx, input: { threadId, ...page } }) => ctx.agent.threads.snapshot(ctx.userId, threadId, page)),
  toolCall: agentProcedure
    .input(z.strictObject({ toolCallId }))
    .query(async ({ ctx, input }) =>
      wholeCall.parse(await ctx.agent.threads.toolCall(ctx.userId, input.toolCallId)),
    ),
  run: agentProcedure
    .input(z.strictObject({ runId }))
    .query(({ ctx, input }) => ctx.agent.threads.run(ctx.userId, input.runId)),
  /** What can answer a chat: the model, and coding agents of machines. `/runtime` chooses. */
  runtimes: agentProcedure
    .input(threadIdInput)
    .query(({ ctx, input }) => ctx.agent.runtimes(ctx.userId, input.threadId)),
  credits: agentProcedure.query(({ ctx }) => ctx.agent.credits(ctx.userId)),
  events: eventsProcedure,
  threads: threadsRouter,
  queue: queueRouter,
  canvas: canvasRouter,
  tasks: tasksRouter,
  memory: memoryRouter,
  settings: agentSettingsRouter,
});
