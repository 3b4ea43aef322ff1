import { capital } from '../../ui/text/format.ts';

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A property of a JSON result: a short fact, or a longer text. */
export interface Part {
  kind: 'fact' | 'text';
  name: string;
  text: string;
}

/** A longer string is shown as a text. */
const shortLength = 120;

/** Properties of the machine's own tools that their names do not explain. */
const labels: Record<string, string> = {
  stdout: 'Output',
  stderr: 'Errors',
  stdin: 'Input',
  timeout: 'Timeout in ms',
  cwd: 'Folder',
  dirPath: 'Folder',
  filePath: 'File',
  sourcePath: 'From',
  destinationPath: 'To',
  oldString: 'Old text',
  newString: 'New text',
};

/** "maxLines" as "Max lines"; a name of another form stays as it is. */
export const fieldLabel = (name: string): string => {
  if (Object.hasOwn(labels, name)) return labels[name] ?? name;
  if (!/^[a-z][\w-]*$/i.test(name)) return name;
  const words = name.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll(/[_-]+/g, ' ');
  return /[a-z]/.test(words) ? capital(words.toLowerCase()) : words;
};

/** A value as text: booleans in words, objects as JSON. */
export const valueText = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return JSON.stringify(value, null, 2);
};

/** The object in a JSON text; null for any other text. */
const recordIn = (text: string): Record<string, unknown> | null => {
  if (!text.trimStart().startsWith('{')) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
};

/** The exit code in the result of a command; null for any other text. */
export const exitCodeIn = (text: string): number | null => {
  const code = recordIn(text)?.['exitCode'];
  return typeof code === 'number' ? code : null;
};

/** Why a command failed: the last line of its errors, else its exit code; null for any other text. */
export const commandFailureIn = (text: string): string | null => {
  const { exitCode, stderr, timedOut } = recordIn(text) ?? {};
  if (timedOut === true) return 'timed out';
  const errors = typeof stderr === 'string' ? stderr.trim() : '';
  if (errors !== '') return errors.slice(errors.lastIndexOf('\n') + 1);
  return typeof exitCode === 'number' ? `exit code ${exitCode}` : null;
};

/** Whether a JSON text is only a path that is among the arguments. */
export const isPathOf = (text: string, args: Record<string, unknown>): boolean => {
  const [[name, value] = [], ...others] = Object.entries(recordIn(text) ?? {});
  return name === 'path' && others.length === 0 && Object.values(args).includes(value);
};

const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
const streams = ['stdout', 'stderr'];

const isText = (name: string, value: unknown): boolean =>
  typeof value === 'string'
    ? streams.includes(name) || value.includes('\n') || value.length > shortLength
    : typeof value === 'object';

/** The properties of a JSON object that are not empty; null for any other text. */
export const partsOf = (text: string): Part[] | null => {
  const record = recordIn(text);
  if (record === null) return null;
  const parts = Object.entries(record)
    .filter(([name, value]) => !isEmpty(value) && !(name === 'exitCode' && value === 0))
    .map(([name, value]): Part => ({
      kind: isText(name, value) ? 'text' : 'fact',
      name: fieldLabel(name),
      text: valueText(value),
    }));
  const isSilent = streams.every((name) => record[name] === '');
  return isSilent ? [{ kind: 'fact', name: '', text: 'No output' }, ...parts] : parts;
};
