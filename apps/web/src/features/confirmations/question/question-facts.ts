import type { Confirmation } from '@drawbridge/contracts/confirmation';
import type { AffectedResource, AskCause } from '@drawbridge/contracts/confirmation-payload';
import { warningsOf } from '@drawbridge/kit';
import { groupWords, viaWords } from '../../../ui/text/words.ts';
import { previewWarnings } from '../preview/preview-warnings.ts';

/** All resources that a question is about. */
export const resourcesOf = (
  question: Pick<Confirmation, 'resources' | 'toolGroup' | 'resource' | 'description'>,
): readonly AffectedResource[] => {
  const { resources, toolGroup, resource, description } = question;
  return resources.length > 0 ? resources : [{ toolGroup, resource, description }];
};

const destructive = new Set(['delete', 'shell_execute_outside']);

/** Whether an approval deletes something, or lets a command do so without a sandbox. */
export const isDestructive = ({ tool }: Pick<Confirmation, 'tool'>): boolean => destructive.has(tool);

/** Whether the question shows a warning, such as of invisible characters. */
export const isWarned = (question: Confirmation): boolean =>
  resourcesOf(question).some(
    ({ resource, description }) => warningsOf(`${resource}\n${description}`).length > 0,
  ) ||
  (question.preview !== null && previewWarnings(question.preview).length > 0);

/** By the kind of action; `write_file` may create or replace. */
const icons: Record<string, string> = {
  delete: 'i-lucide-trash-2',
  edit_file: 'i-lucide-pencil',
  move: 'i-lucide-arrow-right',
  copy_file: 'i-lucide-copy',
  create_directory: 'i-lucide-folder-plus',
};

export const iconOf = (question: Pick<Confirmation, 'tool' | 'toolGroup' | 'description'>): string => {
  if (question.tool === 'write_file' && question.description.startsWith('Write new file'))
    return 'i-lucide-file-plus';
  return icons[question.tool] ?? groupWords(question.toolGroup).icon;
};

/** Who asks, and with which credential; the user for a call from the panel. */
export const askerOf = ({ via }: Pick<Confirmation, 'via'>): { name: string; kind: string } =>
  via ? { name: via.name, kind: viaWords[via.kind] } : { name: 'You asked for this in the panel', kind: '' };

/** The same in a list. */
export const askerInList = (question: Pick<Confirmation, 'via'>): string =>
  question.via ? askerOf(question).name : 'You, in Tools';

const listed = (words: readonly string[]) =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

/** "The machine has Change files set to Ask." Empty for a machine that does not say why it asks. */
export const whyWords = (why: readonly AskCause[]): string => {
  const of = (cause: string) =>
    why.filter((one) => one.cause === cause).map(({ toolGroup }) => groupWords(toolGroup).label);
  const [byMode, careful] = [of('mode'), of('careful')];
  return [
    ...(byMode.length > 0 ? [`The machine has ${listed(byMode)} set to Ask.`] : []),
    ...(careful.length > 0 ? ['The machine asks about this in every mode.'] : []),
  ].join(' ');
};

/** The command of a shell resource, and its folder; null for another form. */
export const commandOf = (resource: string): { folder: string; command: string } | null => {
  const [, quoted, command] = /^("(?:[^"\\]|\\.)*") \$ ([\s\S]+)$/.exec(resource) ?? [];
  if (quoted === undefined || command === undefined) return null;
  try {
    const folder: unknown = JSON.parse(quoted);
    return typeof folder === 'string' ? { folder, command } : null;
  } catch {
    return null;
  }
};
