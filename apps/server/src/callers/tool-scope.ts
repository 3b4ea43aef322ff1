import { toolScopes, type ToolScope } from '@drawbridge/contracts/groups';
import type { Tool } from '@drawbridge/contracts/tool';
import {
  isReading,
  readingTools,
  type Gateway,
  type MachineRef,
  type MachineView,
} from '../gateway/index.ts';
import { errors } from '../errors.ts';
import type { Caller } from './caller.ts';
import { machineOf, requireMachine } from './machine.ts';

const names = {
  filesystemWrite: [
    'write_file',
    'edit_file',
    'create_directory',
    'delete',
    'move',
    'copy_file',
    'undo_change',
  ],
  shell: ['shell_execute', 'process_start', 'process_read', 'process_write', 'process_stop', 'process_list'],
  computer: [
    'screen_screenshot',
    'screen_screenshot_region',
    'mouse_move',
    'mouse_click',
    'mouse_double_click',
    'mouse_drag',
    'mouse_scroll',
    'keyboard_type',
    'keyboard_key_tap',
    'keyboard_shortcut',
  ],
  runtime: ['runtime_turn'],
  system: ['activate_tools'],
} as const satisfies Partial<Record<ToolScope, readonly string[]>>;

const groupOfName = new Map<string, ToolScope>(
  Object.entries(names).flatMap(([group, tools]) =>
    tools.map((tool): [string, ToolScope] => [tool, group as keyof typeof names]),
  ),
);

/** The tools of our own daemon, without those of its browser and its MCP servers. */
export const machineToolNames: readonly string[] = [...readingTools, ...groupOfName.keys()];

/** The group of a tool without a known name, by the category that its machine announces. */
const groupOfCategory = new Map<unknown, ToolScope>([
  ['filesystem', 'filesystemWrite'],
  ['shell', 'shell'],
  ['computer', 'computer'],
  ['browser', 'browser'],
  ['mcp', 'mcp'],
  ['runtime', 'runtime'],
  ['system', 'system'],
]);

/** Every group but the newest one, which tokens made before it do not have. */
const groupsOfUnplaced = toolScopes.filter((group) => group !== 'runtime');

/** Categories of several groups: they add no group to a known name. */
const wideCategories = new Set<unknown>(['filesystem', undefined]);

/**
 * The groups of a tool; a token needs all of them. Our own tool names decide; `annotations.category` can only
 * add a group, or place an unknown name. A tool without a place needs every group but `runtime`.
 */
export const groupsOfTool = ({ name, annotations }: Pick<Tool, 'name' | 'annotations'>): ToolScope[] => {
  const known: ToolScope | undefined = isReading(name) ? 'filesystemRead' : groupOfName.get(name);
  const category = annotations?.category;
  const categoryGroup = groupOfCategory.get(category);
  if (known === undefined) return categoryGroup === undefined ? groupsOfUnplaced : [categoryGroup];
  return wideCategories.has(category) || categoryGroup === undefined || categoryGroup === known
    ? [known]
    : [known, categoryGroup];
};

/** Whether a caller with these scopes may see and call the tool. */
export const isWithinScopes = (tool: Pick<Tool, 'name' | 'annotations'>, scopes: Caller['scopes']): boolean =>
  scopes === 'all' || groupsOfTool(tool).every((group) => scopes.includes(group));

/** The tools of a machine in the caller's scopes, in the machine's order, also while it is offline. */
export const toolsInScope = (machine: MachineView | null, { scopes }: Pick<Caller, 'scopes'>): Tool[] =>
  [...(machine?.tools.values() ?? [])].filter((tool) => isWithinScopes(tool, scopes));

/** The tool of that name, as its machine announced it; undefined for one that the caller may not use. */
export const findTool = async (gateway: Gateway, caller: Caller, name: string): Promise<Tool | undefined> => {
  const tool = (await machineOf(gateway, caller))?.tools.get(name);
  return tool && isWithinScopes(tool, caller.scopes) ? tool : undefined;
};

/** A tool that was checked against the scopes of a caller: the only way to `startCall`. */
export interface ScopedTool {
  readonly caller: Caller;
  readonly name: string;
  /** The machine whose tool it is. */
  readonly machine: MachineRef;
  /** As the machine announced it; undefined for a signed-in user, for whom nothing is checked. */
  readonly descriptor: Tool | undefined;
}

/**
 * Checks a tool against the caller's scopes and resolves the machine. Throws `unknownTool` for a missing tool
 * and one out of scope alike, `notConnected` for a user without a machine.
 */
export const scopeTool = async (gateway: Gateway, caller: Caller, name: string): Promise<ScopedTool> => {
  const { scopes } = caller;
  if (scopes === 'all')
    return {
      caller,
      name,
      machine: await requireMachine(gateway, caller),
      descriptor: undefined,
    };
  const machine = await machineOf(gateway, caller);
  if (!machine) throw errors.notConnected();
  const descriptor = machine.tools.get(name);
  if (!descriptor || !isWithinScopes(descriptor, scopes)) throw errors.unknownTool();
  return { caller, name, machine: machine.ref, descriptor };
};
