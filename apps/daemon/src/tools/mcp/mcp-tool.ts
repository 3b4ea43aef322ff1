import { asksClientAnnotation, clientInput, inputArgument } from '@drawbridge/contracts/client-input';
import { z } from 'zod';
import { errors } from '../common/errors.ts';
import { textWords } from '../common/question-words.ts';
import { defineTool, isGranted, type DaemonTool, type Resource } from '../common/tool.ts';
import type { OfferedTool } from './offered-tools.ts';
import type { RunningServer } from './server.ts';
import type { GivenCall } from './calls/server-calls.ts';

const maxShown = 4_000;

const showArguments = (input: Record<string, unknown>): string => {
  const text = JSON.stringify(input);
  return text.length <= maxShown
    ? text
    : `${text.slice(0, maxShown)} … and ${text.length - maxShown} characters more`;
};

/** What a call brought -> what is the tool's own, and what stands for its caller's client. */
const split = ({ [inputArgument]: carried, ...args }: Record<string, unknown>): GivenCall => ({
  args,
  input: clientInput.safeParse(carried).data,
});

/**
 * A server's tool as one of the daemon's. It always counts as destructive, whatever the server says of it.
 * An answer of the caller's client is checked like arguments; a missing answer is not.
 */
export const toDaemonTool = (tool: OfferedTool, server: RunningServer): DaemonTool => {
  const resource = `${server.name}/${tool.own}`;
  const { fingerprint, serverFingerprint, described } = tool;

  /** What is sent to the server, in words; null where nothing is. */
  const sends = (callInput: GivenCall): string | null => {
    const answering = server.answering(tool, callInput);
    if (answering === null)
      return `Call ${tool.own} of the MCP server ${server.name} with ${showArguments(callInput.args)}`;
    const { question, answer } = answering;
    if (answer?.action !== 'accept') return null;
    return `Send ${showArguments(answer.content ?? {})} to ${tool.own} of the MCP server ${server.name}, which asked: ${question.message}`;
  };

  const resourcesOf = (callInput: GivenCall): Resource[] => {
    const description = sends(callInput);
    return description === null
      ? []
      : [{ toolGroup: 'mcp', resource, description, fingerprint, serverFingerprint }];
  };

  return defineTool({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    group: 'mcp',
    category: 'mcp',
    effect: 'destroys',
    input: z.record(z.string(), z.unknown()),
    described: { ...described, annotations: { ...described.annotations, [asksClientAnnotation]: true } },
    resources: async (input) => resourcesOf(split(input)),
    asks: (input) => {
      const name = `${textWords(tool.own)} of the MCP server ${textWords(server.name)}`;
      return server.answering(tool, split(input)) === null ? `Call ${name}?` : `Send your answer to ${name}?`;
    },
    run: async (input, context) => {
      const callInput = split(input);
      const granted = resourcesOf(callInput).every((wanted) => isGranted(context, wanted));
      // The server may have changed what the name stands for while the call waited for its turn.
      const current = server.tools().find(({ own }) => own === tool.own);
      if (!granted || current?.fingerprint !== fingerprint) throw errors.notGranted();
      return server.call(tool, callInput, context);
    },
  });
};
