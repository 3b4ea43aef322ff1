import type { Confirmation } from '@drawbridge/contracts/confirmation';
import { capital } from '../../ui/text/format.ts';

type Asked = Pick<
  Confirmation,
  'title' | 'tool' | 'arguments' | 'toolGroup' | 'resource' | 'description' | 'resources'
>;

/** Titles for Drawbridge's own tools; `…` is replaced with the subject. */
const sentences: Record<string, string> = {
  read_file: 'Read …?',
  export_file: 'Give out the whole file …?',
  list_files: 'List …?',
  get_file_tree: 'List …?',
  search_files: 'Search …?',
  write_file: 'Change …?',
  edit_file: 'Change …?',
  create_directory: 'Create the folder …?',
  copy_file: 'Copy a file to …?',
  undo_change: 'Undo a change?',
  delete: 'Delete …?',
  move: 'Move …?',
  shell_execute: 'Run …?',
  screen_screenshot: 'Take a screenshot?',
  screen_screenshot_region: 'Take a screenshot?',
  mouse_move: 'Move the mouse?',
  mouse_click: 'Click?',
  mouse_double_click: 'Double-click?',
  mouse_drag: 'Drag with the mouse?',
  mouse_scroll: 'Scroll?',
  keyboard_type: 'Type text?',
  keyboard_key_tap: 'Press a key?',
  keyboard_shortcut: 'Press a keyboard shortcut?',
  browser_navigate: 'Open …?',
};
const ofGroup: Record<string, string> = {
  shell: 'Run …?',
  computer: 'Use the screen, mouse and keyboard?',
  browser: 'Use the browser on …?',
  mcp: 'Run …?',
  // The resource is a sentence, such as "switch on shell".
  system: '…?',
};

/** The whole subject is below the title. */
const maxSubjectLength = 200;
/** The machine's suffix for a folder with its contents. */
const wholeTree = '/**';

/** The path as in the call's arguments, if the resolved path ends with it. */
const shortened = (resource: string, args: Record<string, unknown>): string =>
  Object.values(args).find(
    (value): value is string =>
      typeof value === 'string' && value !== '' && !value.startsWith('.') && resource.endsWith(`/${value}`),
  ) ?? resource;

/** The main resource: the first one that would be changed, else the first one. */
const mainOf = ({ resources, toolGroup, resource, description }: Asked) =>
  resources.find((one) => one.toolGroup === 'filesystemWrite') ??
  resources[0] ?? { toolGroup, resource, description };

/** What a question is about, in one line. */
export const subjectOf = (asked: Asked): string => {
  const { arguments: args } = asked;
  const main = mainOf(asked);
  if (main.toolGroup.startsWith('filesystem')) {
    const isTree = main.resource.endsWith(wholeTree);
    const path = isTree ? main.resource.slice(0, -wholeTree.length) : main.resource;
    return isTree ? `the folder ${shortened(path, args)} and everything in it` : shortened(path, args);
  }
  const [firstLine = ''] = main.resource.split('\n');
  const first = firstLine.slice(0, maxSubjectLength);
  return first === main.resource ? first : `${first} …`;
};

/** Whether the title names the action, so that the machine's description need not. */
export const isTitled = ({ title, tool }: Pick<Asked, 'title' | 'tool'>): boolean =>
  title !== null || tool in sentences;

const sentenceOf = (asked: Asked): string => {
  const { tool, toolGroup } = asked;
  if (tool === 'write_file' && mainOf(asked).description.startsWith('Write new file')) return 'Create …?';
  // Tools of other programs are named as they are.
  return sentences[tool] ?? ofGroup[toolGroup] ?? `Run ${tool} on …?`;
};

/** The question in one line: the machine's own title, else a sentence of tool and resource. */
export const titleOf = (asked: Asked): string => {
  if (asked.title !== null) return asked.title;
  // A function, because the subject may contain replacement patterns such as `$&`.
  return capital(sentenceOf(asked).replace('…', () => subjectOf(asked)));
};
