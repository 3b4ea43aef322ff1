import { closeSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { workspaceCall, type WorkspaceProgram } from '@drawbridge/contracts/agent/workspace';
import { systemClock } from '@drawbridge/kit';
import { describeTool } from '../tools/common/describe-tool.ts';
import { toLazyTool } from '../tools/common/lazy-tool.ts';
import { changesSomething } from '../tools/common/tool.ts';
import { createDispatch } from '../tools/dispatch.ts';
import { inheritedFiles } from '../tools/shell/inherited-files.ts';
import { systemCallFilter } from '../tools/shell/sandbox/seccomp.ts';
import { endOverdue } from './end-overdue.ts';
import { openGate } from './open-gate.ts';
import { workspaceTools } from './tools.ts';

/** Of this program: no tool writes there. */
const privateFolder = '/run/drawbridge';
const territory = { root: process.cwd(), privateFolder };
const tools = workspaceTools(territory);

const describe = (): WorkspaceProgram => ({
  tools: tools.map((tool) => {
    const { name, description = '', inputSchema } = describeTool(tool);
    return { name, description, inputSchema, isReading: !changesSomething(tool) };
  }),
  filter: systemCallFilter(process.arch)?.toString('base64') ?? null,
});

const run = async () => {
  // A command would find an open folder of the server among the files of this process.
  for (const fd of inheritedFiles()) closeSync(fd);
  const { callId, ...toolCall } = workspaceCall.parse(JSON.parse(await text(process.stdin)));
  const dispatch = createDispatch({
    find: (name) => tools.filter((tool) => tool.name === name).map(toLazyTool)[0],
    gate: openGate,
    ...territory,
    clock: systemClock,
  });
  endOverdue(toolCall.arguments, systemClock);
  return dispatch(
    { requestId: callId, toolCall: { name: toolCall.tool, arguments: toolCall.arguments } },
    {
      tag: callId,
      signal: new AbortController().signal,
      progress: () => {},
      starting: async () => {},
      delivered: Promise.resolve(),
    },
  );
};

// Node ignores this signal unless a package has listened to it: then a write beyond a limit ends the process.
process.on('SIGXFSZ', () => undefined);

const answer = process.argv[2] === 'describe' ? Promise.resolve(describe()) : run();
// Whatever the command left behind ends with this process, the first one of the container.
void answer.then((value) => process.stdout.write(JSON.stringify(value), () => process.exit(0)));
