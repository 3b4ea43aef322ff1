import { artifact, newArtifact } from '@drawbridge/contracts/agent/canvas';
import { sessionParams } from '@drawbridge/contracts/rpc/sessions';
import { z } from 'zod';
import { claimSession, requireAgent } from '../../agent/session.ts';
import { method } from '../../method.ts';

/** Makes a document of a session, or replaces it. */
export const canvasPut = method({
  name: 'canvas.put',
  who: 'agent',
  params: sessionParams.extend(newArtifact.shape),
  result: z.object({ artifact, created: z.boolean() }),
}).handle(async (ctx, { connection, params: { sessionId, ...given } }) => {
  const { canvas, threads } = requireAgent(ctx);
  const { threadId } = await claimSession(ctx, connection, sessionId);
  const { userId } = connection.identity;
  await threads.create(userId, threadId);
  return canvas.put(userId, threadId, given);
});
