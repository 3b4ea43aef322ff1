import type { Call } from '@drawbridge/contracts/calls';
import { rpcLimits } from '@drawbridge/contracts/rpc/protocol';
import {
  toolsExecuteParams,
  toolsExecuteResult,
  toolsListParams,
  toolsListResult,
} from '@drawbridge/contracts/rpc/tools';
import { cutText } from '@drawbridge/kit';
import {
  type NewCall,
  followOwnCall,
  groupsOfTool,
  idempotencyKey as keySchema,
  longestWaitMs,
  machineOf,
  scopeTool,
  startCall,
  startCallOnce,
  toolsInScope,
} from '../../../callers/index.ts';
import { errors } from '../../../errors.ts';
import { confirmEvent, questionUrl } from '../agent/questions.ts';
import type { RpcContext } from '../context.ts';
import { type RpcCall, method } from '../method.ts';

/** The tools of a machine within the groups of the caller; while it is away, as last announced. */
export const toolsList = method('tools.list', 'tools', {
  params: toolsListParams,
  result: toolsListResult,
}).handle(async ({ gateway }, { connection: { identity }, params: { machineId } }) => {
  const caller = { ...identity.caller, ...(machineId !== undefined && { machineId }) };
  const machine = await machineOf(gateway, caller);
  const tools = toolsInScope(machine, caller).map((tool) => {
    const { name, title, description = '', inputSchema } = tool;
    const [group] = groupsOfTool(tool);
    return {
      name,
      ...(title !== undefined && { title }),
      description,
      inputSchema,
      ...(group && { group }),
    };
  });
  const state = machine === null ? 'none' : machine.status().connected ? 'connected' : 'away';
  return { tools, machine: { state } };
});

/** The text blocks of a result, in order. */
const textOf = ({ result: ended }: Call): string =>
  (ended?.content ?? []).map((block) => (block.type === 'text' ? block.text : '')).join('');

const outcomeOf = (call: Call) => {
  const text = textOf(call);
  const success = call.state === 'succeeded';
  return { success, output: success ? text : '', error: success ? null : (call.error?.message ?? text) };
};

const toResult = (ctx: RpcContext, call: Call, isRepeat: boolean) => ({
  ...outcomeOf(call),
  ...(call.result && { content: call.result.content }),
  callId: call.requestId,
  state: call.state,
  ...(call.state === 'awaiting-confirmation' &&
    call.confirmationId !== null && {
      confirmId: call.confirmationId,
      url: questionUrl(ctx, call.confirmationId),
    }),
  ...(isRepeat && { replayed: true }),
});

/** Sends what happens to a call on the id of its request. */
const tellCall = (ctx: RpcContext, { connection: { identity }, event: emit }: RpcCall, request: NewCall) => {
  let callId = '';
  const { name: tool } = request.tool;
  const { stop } = ctx.gateway.confirmations.onChanged(identity.userId, ({ confirmation }) => {
    if (confirmation.requestId === callId) emit(confirmEvent(ctx, identity, confirmation));
  });
  return {
    onOpened: (requestId: string) => {
      callId = requestId;
      emit({ event: 'tool_start', data: { tool, args: request.arguments, callId } });
    },
    onProgress: ({
      output,
      outputOffset: offset,
    }: {
      output?: string | undefined;
      outputOffset?: number | undefined;
    }) => {
      if (output !== undefined) emit({ event: 'tool_output', data: { callId, output, offset } });
    },
    ended: (call: Call) => {
      const { success, output, error } = outcomeOf(call);
      const isCut = output.length > rpcLimits.toolEventLength;
      const shown = { success, output: cutText(output, rpcLimits.toolEventLength), error };
      emit({ event: 'tool_end', data: { tool, callId, result: shown, ...(isCut && { truncated: true }) } });
    },
    stop,
  };
};

/** Runs a call that has a key, or follows the one that it repeats. */
const runOnce = async (ctx: RpcContext, request: NewCall, key: string) => {
  const { caller } = request.tool;
  if (!caller.via)
    throw errors.badRequest({ message: 'idempotencyKey needs an access token: it is unique for each token' });
  const started = await startCallOnce(ctx, request, key);
  if (started.kind === 'new') return { call: started.call, isRepeat: false };
  const options = { waitMs: longestWaitMs, until: request.until };
  return { call: await followOwnCall(ctx, { caller, requestId: started.first }, options), isRepeat: true };
};

const executeAs = (name: string) =>
  method(name, 'tools', { params: toolsExecuteParams, result: toolsExecuteResult }).handle(
    async (ctx, rpc) => {
      const { connection, params, signal } = rpc;
      const { tool, args, machineId, until } = params;
      if (Buffer.byteLength(JSON.stringify(args)) > rpcLimits.argumentsBytes) throw errors.tooLarge();
      const key = keySchema.optional().parse(params.idempotencyKey);
      const caller = { ...connection.identity.caller, ...(machineId !== undefined && { machineId }) };
      const scoped = await scopeTool(ctx.gateway, caller, tool);
      const call: NewCall = { tool: scoped, arguments: args, door: 'jsonrpc', until };
      const told = tellCall(ctx, rpc, call);
      const { onOpened, onProgress } = told;
      try {
        // A client that has named its call can ask again: its leaving cancels nothing.
        const { call: ended, isRepeat } =
          key === undefined
            ? { call: await startCall(ctx, { ...call, signal, onOpened, onProgress }), isRepeat: false }
            : await runOnce(ctx, { ...call, onOpened, onProgress }, key);
        if (ended.endedAt !== null && !isRepeat) told.ended(ended);
        return toResult(ctx, ended, isRepeat);
      } finally {
        told.stop();
      }
    },
  );

/** Runs a tool on the machine, outside of the agent. A call that failed or was denied is a result. */
export const toolsExecute = executeAs('tools.execute');
/** The same by its other name. */
export const toolsInvoke = executeAs('tools.invoke');
