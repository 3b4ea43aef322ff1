import { z } from 'zod';
import { errors } from '../errors.ts';
import { defineTool, type DaemonTool } from '../tool.ts';
import type { OfferedTool } from './offered-tools.ts';
import type { RunningServer } from './server.ts';

/** How much of the arguments a question shows; the rest is counted, and stands in the call. */
const maxShown = 4_000;

const showArguments = (input: Record<string, unknown>): string => {
  const text = JSON.stringify(input);
  return text.length <= maxShown
    ? text
    : `${text.slice(0, maxShown)} … and ${text.length - maxShown} characters more`;
};

/**
 * A server's tool as one of the daemon's. What the server says of it is for showing: for the journal, and for running
 * twice, each counts as one that destroys. The server itself checks the arguments against its schema.
 */
export const toDaemonTool = (tool: OfferedTool, server: RunningServer): DaemonTool => {
  const resource = `${server.name}/${tool.own}`;
  return defineTool({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    group: 'mcp',
    category: 'mcp',
    effect: 'destroys',
    input: z.record(z.string(), z.unknown()),
    described: tool.described,
    resources: async (input) => [
      {
        toolGroup: 'mcp',
        resource,
        description: `Call ${tool.own} of the MCP server ${server.name} with ${showArguments(input)}`,
        fingerprint: tool.fingerprint,
        serverFingerprint: tool.serverFingerprint,
      },
    ],
    run: async (input, context) => {
      const granted = context.granted.some(
        (one) => one.toolGroup === 'mcp' && one.resource === resource && one.fingerprint === tool.fingerprint,
      );
      // The server may have changed what the name stands for while the call waited for its turn.
      const now = server.tools().find(({ own }) => own === tool.own);
      if (!granted || now?.fingerprint !== tool.fingerprint) throw errors.notGranted();
      return server.call(tool, input, context);
    },
  });
};
