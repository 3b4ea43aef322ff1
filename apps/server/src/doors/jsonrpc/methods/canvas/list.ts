import { listArtifactsInput, listedArtifact } from '@drawbridge/contracts/agent/canvas';
import { sessionParams } from '@drawbridge/contracts/rpc/sessions';
import { z } from 'zod';
import { requireAgent, requireSession } from '../../agent/session.ts';
import { method } from '../../method.ts';

/** The documents of a session, the last changed first; contents above 4 KiB are left out. */
export const canvasList = method({
  name: 'canvas.list',
  who: 'agent',
  params: sessionParams.extend(listArtifactsInput.shape),
  result: z.object({ artifacts: z.array(listedArtifact), total: z.number().int() }),
}).handle(async (ctx, { connection, params: { sessionId, ...page } }) => {
  const { threadId } = await requireSession(ctx, connection, sessionId);
  return requireAgent(ctx).canvas.list(connection.identity.userId, threadId, page);
});
