import { machineChoices, machineOf } from '../../../callers/index.ts';
import type { MachineChoice } from '@drawbridge/contracts/gateway';
import type { MachineView } from '../../../gateway/index.ts';
import type { OwnTool } from './call.ts';

const sentence = (machine: MachineView | null, reach: readonly MachineChoice[]): string => {
  if (!machine && reach.length > 0) return 'Several machines can be used, each at its own address.';
  if (!machine) return 'No machine has been paired yet. Connect one in the panel.';
  if (machine.isPaused) return `${machine.name} is paused: its person has to resume it in the panel.`;
  const { state, hostIdentifier, directory } = machine.status();
  if (state === 'online')
    return `${hostIdentifier ?? 'The machine'} is online. Its tools work in ${directory}.`;
  if (state === 'grace') return 'The machine has just lost its connection; calls wait until it reconnects.';
  return 'The machine is offline. Run drawbridge connect on it, or connect one in the panel.';
};

const stateOf = ({ isConnected, isPaused }: MachineChoice) =>
  isPaused ? 'paused' : isConnected ? 'online' : 'offline';

/** One line for each machine where the caller reaches several. */
const others = (machine: MachineView | null, reach: readonly MachineChoice[]): string[] =>
  reach.length === 1 && machine !== null
    ? []
    : reach.map((one) => `${one.name}: ${stateOf(one)}, at /mcp/${one.name}`);

/** `machine_status`: whether the machine is connected, and what to do where it is not. */
export const machineStatus: OwnTool = {
  tool: {
    name: 'machine_status',
    title: 'Status of the machine',
    description:
      'Tells whether the machine is online, which folder its tools work in, which families of tools it offers, and which machines this access reaches.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  call: async ({ gateway }, { caller }) => {
    const [machine, reach] = await Promise.all([machineOf(gateway, caller), machineChoices(gateway, caller)]);
    const {
      state = 'offline',
      hostIdentifier = null,
      directory = null,
      toolCategories = [],
    } = machine?.status() ?? {};
    return {
      content: [{ type: 'text', text: [sentence(machine, reach), ...others(machine, reach)].join('\n') }],
      structuredContent: {
        name: machine?.name ?? null,
        state,
        hostIdentifier,
        directory,
        toolCategories,
        machines: reach,
      },
    };
  },
};
