import type { ClientInput } from '@drawbridge/contracts/client-input';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import type { Clock } from '@drawbridge/kit';
import { errors } from '../../common/errors.ts';
import { errorResult } from '../../common/result.ts';
import type { RunContext } from '../../common/tool.ts';
import type { McpConnection } from '../connect.ts';
import { createHeldCalls } from './held-calls.ts';
import { digestOf, type OfferedTool } from '../offered-tools.ts';
import {
  askingResult,
  canBeAsked,
  noAnswer,
  readAnswer,
  readQuestion,
  type QuestionRequest,
} from './question.ts';
import { startServerCall, type ServerCall } from './server-call.ts';

/** What a call brings: the tool's own arguments, and what its caller's client can do and said. */
export interface GivenCall {
  args: Record<string, unknown>;
  input: ClientInput | undefined;
}

export interface ServerCallsNeeds {
  clock: Clock;
  name: string;
  connection(): McpConnection | undefined;
  trouble(): string | null;
}

/** The calls of one server. A question goes only to the client of the one call it can belong to. */
export const createServerCalls = ({ clock, name, connection, trouble }: ServerCallsNeeds) => {
  const held = createHeldCalls(clock);
  const running = new Set<ServerCall>();

  const aboutOf = ({ own }: OfferedTool, { args }: GivenCall) => digestOf([own, args]);

  const begin = (to: McpConnection, { own }: OfferedTool, { args }: GivenCall): ServerCall => {
    const call = startServerCall({ clock, name, run: (options) => to.call(own, args, options) });
    running.add(call);
    void call.ended.then(() => running.delete(call));
    return call;
  };

  const resume = (token: string, tool: OfferedTool, callInput: GivenCall): ServerCall => {
    const heldCall = held.take(token, aboutOf(tool, callInput));
    if (!heldCall) throw errors.questionClosed();
    const answer = callInput.input && readAnswer(callInput.input);
    if (answer) heldCall.call.answer(heldCall.question, answer);
    return heldCall.call;
  };

  const follow = async (
    call: ServerCall,
    { about, input }: { about: string; input: ClientInput | undefined },
    { signal, timeoutMs, progress }: RunContext,
  ): Promise<ToolResult> => {
    for (;;) {
      const turn = await call.turn({
        signal,
        progress,
        canBeAsked: (question) => canBeAsked(input, question),
        ...(timeoutMs !== undefined && { timeoutMs }),
      });
      if (turn.kind === 'ended') return turn.result;
      const token = held.hold({ call, question: turn.question, about });
      if (token !== null) return askingResult(name, turn.question, token);
      call.note(
        `The MCP server ${name} asked a question and got no answer: too many of its calls wait for an answer.`,
      );
      call.answer(turn.question, noAnswer);
    }
  };

  return {
    /** Begins a call or resumes that of `input.requestState`. Rejects with `questionClosed` or on abort. */
    call: async (tool: OfferedTool, callInput: GivenCall, context: RunContext) => {
      const { input } = callInput;
      const about = aboutOf(tool, callInput);
      if (input?.requestState !== undefined)
        return follow(resume(input.requestState, tool, callInput), { about, input }, context);
      const to = connection();
      if (to === undefined)
        return {
          ...errorResult(`The MCP server ${name} does not run: ${trouble() ?? 'it is being started'}`),
          _meta: { 'drawbridge/started': false },
        };
      return follow(begin(to, tool, callInput), { about, input }, context);
    },
    /** The question and the answer of a resumed call; null for a new one. Throws `questionClosed`. */
    answering: (tool: OfferedTool, callInput: GivenCall) => {
      const { input } = callInput;
      if (input?.requestState === undefined) return null;
      const heldCall = held.find(input.requestState, aboutOf(tool, callInput));
      if (!heldCall) throw errors.questionClosed();
      return { question: heldCall.question, answer: readAnswer(input) };
    },
    /** The server asks. Throws for a question that cannot be put or is beyond the limits. */
    asked: async (params: QuestionRequest['params'], signal: AbortSignal) => {
      const question = readQuestion(name, params);
      const [call, ...others] = running;
      if (call && others.length === 0) return call.ask(question, signal);
      // A question does not say which call it belongs to, and must not reach another one's client.
      for (const open of running)
        open.note(
          `The MCP server ${name} asked a question while several of its calls were open and got no answer. Call its tools one after the other.`,
        );
      return noAnswer;
    },
    close: held.clear,
  };
};
