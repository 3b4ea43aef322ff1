import { toolGroups, type Tool, type ToolGroup } from '@drawbridge/contracts';
import { isReading } from './reading-tools.ts';

const names = {
  filesystemWrite: ['write_file', 'edit_file', 'create_directory', 'delete', 'move', 'copy_file'],
  shell: ['shell_execute'],
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
  system: ['activate_tools'],
} as const satisfies Partial<Record<ToolGroup, readonly string[]>>;

const groupOfName = new Map<string, ToolGroup>(
  Object.entries(names).flatMap(([group, tools]) =>
    tools.map((tool): [string, ToolGroup] => [tool, group as keyof typeof names]),
  ),
);

/** What a machine may say of a tool whose name says nothing. */
const groupOfCategory = new Map<unknown, ToolGroup>([
  ['filesystem', 'filesystemWrite'],
  ['shell', 'shell'],
  ['computer', 'computer'],
  ['browser', 'browser'],
  ['mcp', 'mcp'],
  ['system', 'system'],
]);

/** Families that hold several groups: their word adds nothing to a name that is known. */
const wideCategories = new Set<unknown>(['filesystem', undefined]);

/**
 * The groups that a tool touches; a token needs them all. The names of our own tools decide, above all which of them only
 * read. What a machine says in `annotations.category` places a tool with another name and may add a group to a known one;
 * a tool that nobody can place needs every group.
 */
export const groupsOfTool = ({ name, annotations }: Pick<Tool, 'name' | 'annotations'>): ToolGroup[] => {
  const known: ToolGroup | undefined = isReading(name) ? 'filesystemRead' : groupOfName.get(name);
  const category = annotations?.category;
  const said = groupOfCategory.get(category);
  if (known === undefined) return said === undefined ? [...toolGroups] : [said];
  return wideCategories.has(category) || said === undefined || said === known ? [known] : [known, said];
};

/** Whether a token with these scopes may see and call the tool. */
export const isWithinScopes = (
  tool: Pick<Tool, 'name' | 'annotations'>,
  scopes: readonly ToolGroup[],
): boolean => groupsOfTool(tool).every((group) => scopes.includes(group));
