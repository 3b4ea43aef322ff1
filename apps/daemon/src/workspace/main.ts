import { closeSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { workspaceCall, type WorkspaceProgram } from '@drawbridge/contracts/agent/workspace';
import { undoTool } from '@drawbridge/contracts/machines/undo-change';
import { systemClock, type Clock } from '@drawbridge/kit';
import type { Territory } from '../paths/protected.ts';
import { describeTool } from '../tools/common/describe-tool.ts';
import { toLazyTool } from '../tools/common/lazy-tool.ts';
import { changesSomething, type DaemonTool } from '../tools/common/tool.ts';
import { createDispatch } from '../tools/dispatch.ts';
import { filesystemTools } from '../tools/filesystem/index.ts';
import { openGate } from '../tools/open-gate.ts';
import { inheritedFiles } from '../tools/shell/inherited-files.ts';
import { createOpenLauncher } from '../tools/shell/launch.ts';
import { clampTimeout } from '../tools/shell/command.ts';
import { createShellExecute } from '../tools/shell/shell-execute.ts';
import { systemCallFilter } from '../tools/shell/sandbox/seccomp.ts';

const shellDescription =
  'Run a shell command in the folder of the workspace and give its output and exit code. There is no network. ' +
  'Only this folder stays: what runs in the background ends with the call, and so do /tmp and the home folder.';

/** What a container does not offer: its shell searches, and its changes are not kept. */
const notOffered = new Set(['search_files', undoTool]);

/** The file tools and the shell of the daemon. */
const workspaceTools = (territory: Territory): DaemonTool[] => [
  ...filesystemTools.filter(({ name }) => !notOffered.has(name)),
  {
    ...createShellExecute(createOpenLauncher(territory), { sandbox: false }),
    description: shellDescription,
  },
];

/** After the time of a command and of its ending: its processes have left their group and lost their tag. */
const graceMs = 3_000;

/** Ends every other process of the container when the command of a call outlives its time. */
const endOverdue = ({ timeout }: Record<string, unknown>, clock: Clock): void => {
  const limitMs = clampTimeout(typeof timeout === 'number' ? timeout : undefined) + graceMs;
  clock.after(limitMs, () => {
    try {
      // All but this process and the first one, in one step: none of them can start another meanwhile.
      process.kill(-1, 'SIGKILL');
    } catch {
      // There is no other.
    }
  });
};

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
