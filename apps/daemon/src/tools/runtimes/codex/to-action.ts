import type { ActionRequest, Edit } from '../driver.ts';
import type { ActionRequestFrame, Change, Item } from './frames.ts';

const inShell = /^(?:\/usr)?\/bin\/(?:ba|z)?sh -l?c (?:'([^']*)'|([\w%+=:,./-]+))$/;

/** A command without the shell that Codex starts it with; as it is where it is quoted in another way. */
const commandOf = (command: string): string => {
  const [, quoted, word] = inShell.exec(command) ?? [];
  return quoted ?? word ?? command;
};

/** The lines of a patch that are in the file before it, or after it. */
const linesOf = (patch: string, without: '-' | '+'): string =>
  patch
    .split('\n')
    .filter((line) => !line.startsWith('@@') && !line.startsWith('\\') && !line.startsWith(without))
    .map((line) => line.slice(1))
    .join('\n');

/** Undefined for a file that is deleted or moved: its question could not be a diff. */
const toEdit = ({ path, kind, diff }: Change): Edit | undefined => {
  if (kind.type === 'add') return { path, before: null, after: diff };
  if (kind.type !== 'update' || kind.move_path != null) return undefined;
  return { path, before: linesOf(diff, '+'), after: linesOf(diff, '-'), patch: diff };
};

/** What an item would do, as its later frames have to say it again. */
export const actOf = ({ type, command, cwd, changes }: Item): unknown => [type, command, cwd, changes];

/** What a request is about; undefined for what is always refused. */
export const toActionRequest = (
  { method, params }: ActionRequestFrame,
  item: Item,
): ActionRequest | undefined => {
  if (method === 'item/commandExecution/requestApproval') {
    const { kind, command, cwd } = params;
    if (kind !== 'command' || command !== item.command || cwd !== item.cwd) return undefined;
    return { kind: 'command', command: commandOf(command), cwd };
  }
  const changes = item.type === 'fileChange' ? (item.changes ?? []) : [];
  const edits = changes.flatMap((change) => toEdit(change) ?? []);
  return edits.length === 0 || edits.length < changes.length ? undefined : { kind: 'edit', edits };
};

const listed: Record<string, string> = { commandExecution: 'execute', fileChange: 'edit', question: 'form' };
const titles: Record<string, string> = { question: 'Question' };

/** How an item is listed. */
export const labelOf = ({ type, command, changes }: Item): { kind: string; title: string } => {
  const files = (changes ?? []).map(({ path }) => path).join(', ');
  const title = command === undefined ? files : commandOf(command);
  return { kind: listed[type] ?? 'other', title: title === '' ? (titles[type] ?? type) : title };
};
