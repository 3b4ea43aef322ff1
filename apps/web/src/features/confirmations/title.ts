import type { Confirmation } from '@drawbridge/contracts/confirmation';
import { capital } from '../../ui/text/format.ts';

type Asked = Pick<
  Confirmation,
  'title' | 'tool' | 'arguments' | 'toolGroup' | 'resource' | 'description' | 'resources'
>;

/** What a tool of Drawbridge does, with `…` where its subject stands. */
const sentences: Record<string, string> = {
  read_file: 'Read …?',
  list_files: 'List …?',
  get_file_tree: 'List …?',
  search_files: 'Search …?',
  write_file: 'Change …?',
  edit_file: 'Change …?',
  create_directory: 'Create the folder …?',
  copy_file: 'Copy a file to …?',
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
  // The resource is a sentence of its own, such as "switch on shell".
  system: '…?',
};

/** More of a subject stands below the title. */
const maxSubjectLength = 200;
/** How the machine names a folder and all that is in it. */
const wholeTree = '/**';

/** The path as the call gives it, where that is the end of the path that the machine resolved. */
const shortened = (resource: string, given: Record<string, unknown>): string =>
  Object.values(given).find(
    (value): value is string =>
      typeof value === 'string' && value !== '' && !value.startsWith('.') && resource.endsWith(`/${value}`),
  ) ?? resource;

/** What the question is about: of several resources, the first that would be changed. */
const mainOf = ({ resources, toolGroup, resource, description }: Asked) =>
  resources.find((one) => one.toolGroup === 'filesystemWrite') ??
  resources[0] ?? { toolGroup, resource, description };

const subjectOf = (asked: Asked): string => {
  const { arguments: given } = asked;
  const main = mainOf(asked);
  if (main.toolGroup.startsWith('filesystem')) {
    const isTree = main.resource.endsWith(wholeTree);
    const path = isTree ? main.resource.slice(0, -wholeTree.length) : main.resource;
    return isTree ? `the folder ${shortened(path, given)} and everything in it` : shortened(path, given);
  }
  const [firstLine = ''] = main.resource.split('\n');
  const first = firstLine.slice(0, maxSubjectLength);
  return first === main.resource ? first : `${first} …`;
};

/** Whether the title says what is done, so that the machine's description need not. */
export const isTitled = ({ title, tool }: Pick<Asked, 'title' | 'tool'>): boolean =>
  title !== null || tool in sentences;

const sentenceOf = (asked: Asked): string => {
  const { tool, toolGroup } = asked;
  if (tool === 'write_file' && mainOf(asked).description.startsWith('Write new file')) return 'Create …?';
  // The last: a tool of another program is named as it is.
  return sentences[tool] ?? ofGroup[toolGroup] ?? `Run ${tool} on …?`;
};

/** The question in one line: the machine's own words, else a sentence of the tool and what it would touch. */
export const titleOf = (asked: Asked): string => {
  if (asked.title !== null) return asked.title;
  // A function: the subject may hold what `replace` would read as a pattern.
  return capital(sentenceOf(asked).replace('…', () => subjectOf(asked)));
};
