/** Of a stored subject, in UTF-16 code units. */
export const maxSubjectLength = 200;

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

/** An argument that names what a call touches; an address is shown as its host. */
export type SubjectArgument = { kind: 'text' | 'address'; text: string };

const textIn = (args: Record<string, unknown>, name: string): string | undefined => {
  const value = Object.hasOwn(args, name) ? args[name] : undefined;
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
};

/** What the arguments of a call say that it touches; null if they name nothing. */
export const subjectArgument = (args: Record<string, unknown>): SubjectArgument | null => {
  const source = textIn(args, 'sourcePath');
  const destination = textIn(args, 'destinationPath');
  if (source !== undefined && destination !== undefined)
    return { kind: 'text', text: `${source} → ${destination}` };
  for (const name of subjectArguments) {
    const text = textIn(args, name);
    if (text !== undefined) return { kind: name === 'url' ? 'address' : 'text', text };
  }
  return null;
};
