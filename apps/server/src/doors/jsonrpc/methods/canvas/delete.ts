import { artifactId } from '@drawbridge/contracts/agent/canvas';
import { sessionParams } from '@drawbridge/contracts/rpc/sessions';
import { success } from '@drawbridge/contracts/rpc/system';
import { requireAgent, requireSession } from '../../agent/session.ts';
import { method } from '../../method.ts';

/** Deletes one document of a session. */
export const canvasDelete = method({
  name: 'canvas.delete',
  who: 'agent',
  params: sessionParams.extend({ artifactId }),
  result: success,
}).handle(async (ctx, { connection, params }) => {
  const { threadId } = await requireSession(ctx, connection, params.sessionId);
  await requireAgent(ctx).canvas.remove(connection.identity.userId, threadId, params.artifactId);
  return { success: true };
});
