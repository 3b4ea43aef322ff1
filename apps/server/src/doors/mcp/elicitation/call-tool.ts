import { asksClientAnnotation } from '@drawbridge/contracts/client-input';
import type { Tool as MachineTool } from '@drawbridge/contracts/tool';
import { scopeTool, type BearerCaller } from '../../../callers/index.ts';
import { refusalAnswer } from '../tools/call-answer.ts';
import type { CallRequest, CallWatch, ToolAnswer } from '../tools/call.ts';
import { answerByOf, runCall } from '../tools/run-call.ts';
import { ownTools } from '../tools/tool-list.ts';
import { runOrResume } from './confirmation-elicitation-2026.ts';
import type { ElicitationContext } from './sealed-state.ts';
import { runAskingTool } from './tool-elicitation-2026.ts';

/** Whether a tool may ask its caller's client for something before it has a result. */
export const asksClient = (tool: MachineTool | undefined): boolean =>
  tool?.annotations?.[asksClientAnnotation] === true;

const answer = async (
  ctx: ElicitationContext,
  caller: BearerCaller,
  { request, watch }: { request: CallRequest; watch: CallWatch },
): Promise<ToolAnswer> => {
  const own = ownTools.get(request.name);
  if (own) return own.call(ctx, { caller, arguments: request.arguments, watch });
  const tool = await scopeTool(ctx.gateway, caller, request.name);
  const running = { caller, request, watch, tool, answerBy: answerByOf(ctx, request) };
  if (asksClient(tool.descriptor)) return runAskingTool(ctx, running);
  if (request.client?.takesInputRequired === true) return runOrResume(ctx, running);
  return runCall(ctx, running);
};

/** Runs a tool for either revision. Throws a `ProtocolError` for a tool out of the caller's scopes. */
export const callTool = (
  ctx: ElicitationContext,
  caller: BearerCaller,
  asked: { request: CallRequest; watch: CallWatch },
): Promise<ToolAnswer> =>
  answer(ctx, caller, asked).catch((error: unknown) => refusalAnswer(ctx, asked.request.name, error));
