import { asksClientAnnotation, errorTable, type Tool as MachineTool } from '@drawbridge/contracts';
import { CodedError } from '@drawbridge/kit';
import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type Tool,
} from '@modelcontextprotocol/server';
import { isWithinScopes, type Gateway, type MachineView } from '../../gateway/index.ts';
import { refusalAnswer, type ToolAnswer } from './answer.ts';
import type { Caller } from './caller.ts';
import type { RunAsking } from './client-input.ts';
import type { OwnTool } from './own-tool.ts';
import type { CallRequest, CallWatch, RunCall } from './run-call.ts';
import { machineTools } from './shown-tools.ts';

/** The tools as a caller sees them, whatever the revision it speaks. What is thrown is a `ProtocolError`, fit to be told. */
export interface Toolbox {
  /** Our own tools and the machine's that the token reaches, in an order that stays; also while the machine is away. */
  list(caller: Caller): Promise<Tool[]>;
  /** A tool of the machine, as it announced it; undefined for one that the caller has not. */
  find(caller: Caller, name: string): Promise<MachineTool | undefined>;
  /** A tool's answer; throws for a tool that the caller has not. */
  call(caller: Caller, request: CallRequest, watch: CallWatch): Promise<ToolAnswer>;
}

interface ToolboxNeeds {
  gateway: Gateway;
  ownTools: readonly OwnTool[];
  runCall: RunCall;
  runAsking: RunAsking;
  /** Hears what was thrown inside, for the log. */
  onError(error: unknown): void;
}

/** Whether a tool may ask its caller's client for something before it has a result. */
export const asksClient = (tool: MachineTool | undefined): boolean =>
  tool?.annotations?.[asksClientAnnotation] === true;

const unknownTool = (name: string) =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);

export const createToolbox = ({ gateway, ownTools, runCall, runAsking, onError }: ToolboxNeeds): Toolbox => {
  const own = new Map(ownTools.map((one) => [one.tool.name, one]));

  /** Nothing of the inside leaves the process. */
  const tellable = (error: unknown): ProtocolError => {
    if (error instanceof ProtocolError) return error;
    const isCoded = error instanceof CodedError && error.code !== errorTable.internal.code;
    if (!isCoded) onError(error);
    return new ProtocolError(
      ProtocolErrorCode.InternalError,
      isCoded ? error.message : errorTable.internal.message,
    );
  };

  const list: Toolbox['list'] = async (caller) => {
    const machine = await gateway.machine(caller.userId, caller.machineId);
    const ofMachine = machineTools(machine, caller).filter(({ name }) => !own.has(name));
    return [...ownTools.map(({ tool }) => tool), ...ofMachine];
  };

  /** A tool that the machine does not offer and one that the token does not reach are the same to the caller. */
  const reached = (machine: MachineView | null, { scopes }: Caller, name: string) => {
    const tool = own.has(name) ? undefined : machine?.tools.get(name);
    return tool && isWithinScopes(tool, scopes) ? tool : undefined;
  };

  const call: Toolbox['call'] = async (caller, request, watch) => {
    const { name } = request;
    const ours = own.get(name);
    if (ours) return ours.call(caller, request.arguments, watch);
    const machine = await gateway.machine(caller.userId, caller.machineId);
    const tool = reached(machine, caller, name);
    if (machine && !tool) throw unknownTool(name);
    return asksClient(tool) ? runAsking(caller, request, watch) : runCall(caller, request, watch);
  };

  const answerFor = (name: string, error: unknown): CallToolResult => {
    if (!(error instanceof CodedError) || error.code === errorTable.internal.code) throw tellable(error);
    if (error.code === errorTable.unknownTool.code) throw unknownTool(name);
    return refusalAnswer(error);
  };

  return {
    list: (caller) =>
      list(caller).catch((error: unknown) => {
        throw tellable(error);
      }),
    find: async (caller, name) =>
      reached(await gateway.machine(caller.userId, caller.machineId), caller, name),
    call: (caller, request, watch) =>
      call(caller, request, watch).catch((error: unknown) => answerFor(request.name, error)),
  };
};
