// A process with workspaces that runs one long command, to be killed: <data folder> <seconds to sleep>.
import { systemClock } from '@drawbridge/kit';
import { openWorkspaces } from '../src/agent/workspace/open-workspaces.ts';
import { workspaceProgram } from '../src/program/built-files.ts';

const [dataDir = '', seconds = ''] = process.argv.slice(2);
const { port } = await openWorkspaces({
  dataDir,
  program: workspaceProgram,
  clock: systemClock,
});
const command = `env -i setsid sleep ${seconds} & sleep ${seconds}`;
const call = { callId: 'call', tool: 'shell_execute', arguments: { command, timeout: 300_000 } };
await port?.call({ userId: 'ann', threadId: 'thread' }, call, new AbortController().signal);
