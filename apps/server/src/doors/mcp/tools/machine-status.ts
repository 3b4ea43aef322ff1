import { machineOf } from '../../../callers/index.ts';
import type { MachineView } from '../../../gateway/index.ts';
import type { OwnTool } from './call.ts';

const sentence = (machine: MachineView | null): string => {
  if (!machine) return 'No machine has been paired yet. Connect one in the panel.';
  const { state, hostIdentifier, directory } = machine.status();
  if (state === 'online')
    return `${hostIdentifier ?? 'The machine'} is online. Its tools work in ${directory}.`;
  if (state === 'grace') return 'The machine has just lost its connection; calls wait until it reconnects.';
  return 'The machine is offline. Start the daemon on it (drawbridge), or connect one in the panel.';
};

/** `machine_status`: whether the machine is connected, and what to do where it is not. */
export const machineStatus: OwnTool = {
  tool: {
    name: 'machine_status',
    title: 'Status of the machine',
    description:
      'Tells whether the machine is online, which folder its tools work in, and which families of tools it offers.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  call: async ({ gateway }, { caller }) => {
    const machine = await machineOf(gateway, caller);
    const {
      state = 'offline',
      hostIdentifier = null,
      directory = null,
      toolCategories = [],
    } = machine?.status() ?? {};
    return {
      content: [{ type: 'text', text: sentence(machine) }],
      structuredContent: { state, hostIdentifier, directory, toolCategories },
    };
  },
};
