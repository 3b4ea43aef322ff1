import { sessionParams } from '@drawbridge/contracts/rpc/sessions';
import { success } from '@drawbridge/contracts/rpc/system';
import { z } from 'zod';
import { requireAgent, requireSession } from '../../agent/session.ts';
import { method } from '../../method.ts';

/** Deletes all documents of a session. */
export const canvasClear = method({
  name: 'canvas.clear',
  who: 'agent',
  params: sessionParams,
  result: success.extend({ removed: z.number().int() }),
}).handle(async (ctx, { connection, params }) => {
  const { threadId } = await requireSession(ctx, connection, params.sessionId);
  const { removed } = await requireAgent(ctx).canvas.clear(connection.identity.userId, threadId);
  return { success: true, removed };
});
