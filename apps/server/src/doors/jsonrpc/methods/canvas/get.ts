import { artifact, artifactId } from '@drawbridge/contracts/agent/canvas';
import { sessionParams } from '@drawbridge/contracts/rpc/sessions';
import { z } from 'zod';
import { requireAgent, requireSession } from '../../agent/session.ts';
import { method } from '../../method.ts';

/** One document of a session. */
export const canvasGet = method({
  name: 'canvas.get',
  who: 'agent',
  params: sessionParams.extend({ artifactId }),
  result: z.object({ artifact }),
}).handle(async (ctx, { connection, params }) => {
  const { threadId } = await requireSession(ctx, connection, params.sessionId);
  const { userId } = connection.identity;
  return { artifact: await requireAgent(ctx).canvas.get(userId, threadId, params.artifactId) };
});
