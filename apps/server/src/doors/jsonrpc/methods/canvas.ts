import {
  artifact,
  artifactId,
  listArtifactsInput,
  listedArtifact,
  newArtifact,
} from '@drawbridge/contracts/agent/canvas';
import { sessionParams } from '@drawbridge/contracts/rpc/sessions';
import { success } from '@drawbridge/contracts/rpc/system';
import { z } from 'zod';
import { claimSession, makeThread, requireAgent, requireSession } from '../agent/session.ts';
import { method } from '../method.ts';

/** Makes a document of a session, or replaces it. */
export const canvasPut = method('canvas.put', 'agent', {
  params: sessionParams.extend(newArtifact.shape),
  result: z.object({ artifact, created: z.boolean() }),
}).handle(async (ctx, { connection, params: { sessionId, ...given } }) => {
  const { canvas } = requireAgent(ctx);
  const { threadId } = await claimSession(ctx, connection, sessionId);
  const { userId } = connection.identity;
  await makeThread(ctx, connection, threadId);
  return canvas.put(userId, threadId, given);
});

/** One document of a session. */
export const canvasGet = method('canvas.get', 'agent', {
  params: sessionParams.extend({ artifactId }),
  result: z.object({ artifact }),
}).handle(async (ctx, { connection, params }) => {
  const { threadId } = await requireSession(ctx, connection, params.sessionId);
  const { userId } = connection.identity;
  return { artifact: await requireAgent(ctx).canvas.get(userId, threadId, params.artifactId) };
});

/** The documents of a session, the last changed first; contents above 4 KiB are left out. */
export const canvasList = method('canvas.list', 'agent', {
  params: sessionParams.extend(listArtifactsInput.shape),
  result: z.object({ artifacts: z.array(listedArtifact), total: z.number().int() }),
}).handle(async (ctx, { connection, params: { sessionId, ...page } }) => {
  const { threadId } = await requireSession(ctx, connection, sessionId);
  return requireAgent(ctx).canvas.list(connection.identity.userId, threadId, page);
});

/** Deletes one document of a session. */
export const canvasDelete = method('canvas.delete', 'agent', {
  params: sessionParams.extend({ artifactId }),
  result: success,
}).handle(async (ctx, { connection, params }) => {
  const { threadId } = await requireSession(ctx, connection, params.sessionId);
  await requireAgent(ctx).canvas.remove(connection.identity.userId, threadId, params.artifactId);
  return { success: true };
});

/** Deletes all documents of a session. */
export const canvasClear = method('canvas.clear', 'agent', {
  params: sessionParams,
  result: success.extend({ removed: z.number().int() }),
}).handle(async (ctx, { connection, params }) => {
  const { threadId } = await requireSession(ctx, connection, params.sessionId);
  const { removed } = await requireAgent(ctx).canvas.clear(connection.identity.userId, threadId);
  return { success: true, removed };
});
