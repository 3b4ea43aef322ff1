import { cutText, hostOf, mainLine, visible } from '@drawbridge/kit';

/** Of a stored subject, in UTF-16 code units. */
const maxSubjectLength = 200;

/** The arguments that name what a call touches; the first that is there counts. */
const subjectArguments = [
  'command',
  'filePath',
  'path',
  'dirPath',
  'url',
  'source',
  'pattern',
  'query',
  'name',
  'title',
  'role',
  'text',
] as const;

/** An argument that names what a call touches; of an address the host is shown, of a script one line. */
type SubjectArgument = { kind: 'text' | 'address' | 'command'; text: string };
const kinds: Record<string, SubjectArgument['kind']> = { url: 'address', command: 'command' };

const textIn = (args: Record<string, unknown>, name: string): string | undefined => {
  const value = Object.hasOwn(args, name) ? args[name] : undefined;
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
};

/** What the arguments of a call say that it touches; null if they name nothing. */
const subjectArgument = (args: Record<string, unknown>): SubjectArgument | null => {
  const source = textIn(args, 'sourcePath');
  const destination = textIn(args, 'destinationPath');
  if (source !== undefined && destination !== undefined)
    return { kind: 'text', text: `${source} → ${destination}` };
  const task = textIn(args, 'prompt');
  const runtime = textIn(args, 'runtime');
  if (task !== undefined && runtime !== undefined)
    return { kind: 'text', text: `${runtime}: ${task.trimStart()}` };
  for (const name of subjectArguments) {
    const text = textIn(args, name);
    if (text !== undefined) return { kind: kinds[name] ?? 'text', text };
  }
  return null;
};

/** Longer ones are cut before hidden characters are written out. */
const longestRead = 4 * maxSubjectLength;

const firstLine = (text: string): string => {
  const [line = ''] = text.trimStart().split(/[\n\r\u2028\u2029]/, 1);
  return line === text ? line : `${line} …`;
};

/** What a call touches, in one line of at most 200 characters with hidden characters written out. */
export const subjectOf = (args: Record<string, unknown>): string => {
  const found = subjectArgument(args);
  if (!found) return '';
  const host = found.kind === 'address' ? hostOf(found.text) : null;
  const text = host ? [host.name, host.port].filter(Boolean).join(':') : found.text;
  const { line, others } = found.kind === 'command' ? mainLine(text) : { line: text, others: 0 };
  const first = firstLine(line);
  const whole = others > 0 && first === line ? `${line} …` : first;
  const shown = visible(cutText(whole, longestRead)).trim();
  return shown.length <= maxSubjectLength ? shown : `${cutText(shown, maxSubjectLength - 1)}…`;
};
