import type { Call } from '@drawbridge/contracts/calls';
import { toolsExecuteParams, toolsExecuteResult as result } from '@drawbridge/contracts/rpc-tools';
import { scopeTool, startCall } from '../../../../callers/index.ts';
import { method } from '../../method.ts';

/** The text blocks of a result, in order. */
const textOf = ({ result: ended }: Call): string =>
  (ended?.content ?? []).map((block) => (block.type === 'text' ? block.text : '')).join('');

const toResult = (call: Call) => {
  const output = textOf(call);
  const success = call.state === 'succeeded';
  return {
    success,
    output: success ? output : '',
    error: success ? null : (call.error?.message ?? output),
    ...(call.result && { content: call.result.content }),
    callId: call.requestId,
    state: call.state,
  };
};

const executeAs = (name: string) =>
  method({
    name,
    who: 'tools',
    params: toolsExecuteParams,
    result,
  }).handle(async (ctx, { connection: { identity }, params, signal }) => {
    const { tool, args, machineId, until } = params;
    const caller = { ...identity.caller, ...(machineId !== undefined && { machineId }) };
    const scoped = await scopeTool(ctx.gateway, caller, tool);
    return toResult(await startCall(ctx, { tool: scoped, arguments: args, door: 'jsonrpc', until, signal }));
  });

/** Runs a tool on the machine, outside of the agent. A call that failed or was denied is a result. */
export const toolsExecute = executeAs('tools.execute');
/** The same by its other name. */
export const toolsInvoke = executeAs('tools.invoke');
