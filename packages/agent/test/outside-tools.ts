import type { ToolResult } from '@drawbridge/contracts/tool-result';
import type { DomainAdapter, DomainResult, DomainTool } from '../src/ports/domain.ts';
import type { MachineOutcome, MachineTool, MachineView } from '../src/ports/machine.ts';
import type { McpTool } from '../src/ports/outside.ts';
import type { WorkspacePort } from '../src/ports/workspace.ts';

export const mcpTool: McpTool = {
  name: 'mcp__bell__ring',
  server: 'bell',
  tool: 'ring',
  description: 'Rings',
  inputSchema: { type: 'object' },
};

export const machineTool = (name: string, isReading = false): MachineTool => ({
  name,
  description: 'A tool of the machine',
  inputSchema: { type: 'object' },
  group: isReading ? 'filesystemRead' : 'filesystemWrite',
  isReading,
  isOwn: true,
});

export const machineView = (...tools: MachineTool[]): MachineView => ({
  id: 'm1',
  name: 'box',
  directory: null,
  isConnected: true,
  tools,
});

/** A domain with one tool, by default `n8n_delete_workflow`. */
export const domainWith = (
  run: () => Promise<DomainResult>,
  { name, effect }: Pick<DomainTool, 'name' | 'effect'> = {
    name: 'n8n_delete_workflow',
    effect: 'destructive',
  },
): DomainAdapter => ({
  id: 'n8n',
  title: 'n8n',
  instructions: '',
  toolNames: [name],
  tools: () =>
    Promise.resolve([
      {
        name,
        description: 'Changes',
        inputSchema: { type: 'object' },
        effect,
        describe: () => 'Delete it?',
        run,
      },
    ]),
  test: () => Promise.resolve([]),
});

/** Workspaces with one tool, `workspace_read_file`. */
export const workspace: WorkspacePort = {
  tools: () => [
    {
      name: 'read_file',
      description: 'Reads',
      inputSchema: { type: 'object' },
      isReading: true,
      isOwn: true,
    },
  ],
  call: () => Promise.resolve({ content: [{ type: 'text', text: 'one' }] }),
  remove: () => Promise.resolve(),
};

/** A result of `export_file`. */
export const exported = (text: string, mimeType = 'text/plain'): ToolResult => ({
  content: [{ type: 'resource', resource: { uri: 'file:///a', mimeType, blob: btoa(text) } }],
});

/** A machine that gives out files. */
export const exporting = {
  view: () => Promise.resolve(machineView(machineTool('export_file', true))),
  call: () => Promise.resolve(endedAs('succeeded', { result: exported('hello') })),
};

/** The end of a call on a machine. */
export const endedAs = (
  state: Extract<MachineOutcome, { kind: 'ended' }>['state'],
  {
    result = null,
    error = null,
  }: { result?: ToolResult | null; error?: { code: string; message: string } | null },
): MachineOutcome => ({ kind: 'ended', state, result, error, denialReason: null });
