import type { GitKey } from './safe-keys.ts';

export interface GitSetting extends GitKey {
  /** Undefined for a key without `=`, which means true. */
  value: string | undefined;
}

const heading = /^\s*\[\s*([A-Za-z0-9-]+)(?:\.([^\]\s"]*))?(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/;
const keyName = /^\s*([A-Za-z][A-Za-z0-9-]*)[^\S\n]*(=?)/;
const escapes: Record<string, string> = { n: '\n', t: '\t', b: '\b' };

/** The value at the start of a text, and how long it is there: quotes, escapes, comments, continued lines. */
const readValue = (text: string): { value: string; length: number } => {
  let value = '';
  let kept = 0;
  let isQuoted = false;
  let at = 0;
  for (; at < text.length; at += 1) {
    const one = text[at] ?? '';
    if (one === '\n') break;
    if (one === '"') isQuoted = !isQuoted;
    else if (one === '\\') {
      at += text.startsWith('\r\n', at + 1) ? 2 : 1;
      const next = text[at] ?? '';
      if (next !== '\n') value += escapes[next] ?? next;
      kept = value.length;
      continue;
    } else if (!isQuoted && (one === '#' || one === ';')) {
      const end = text.indexOf('\n', at);
      at = end === -1 ? text.length : end;
      break;
    } else value += one;
    if (isQuoted || !/\s/.test(one)) kept = value.length;
  }
  return { value: value.slice(0, kept).trimStart(), length: at };
};

/** The settings of a git configuration file in their order; lines that git would refuse are skipped. */
export const readGitSettings = (text: string): GitSetting[] => {
  const settings: GitSetting[] = [];
  let at: { section: string; name: string | undefined } | undefined;
  let rest = text.replace(/^\uFEFF/, '');
  while (rest !== '') {
    const opened = heading.exec(rest);
    const named = opened === null ? keyName.exec(rest) : null;
    if (opened !== null) {
      const [whole, section = '', dotted, quoted] = opened;
      at = { section: section.toLowerCase(), name: quoted?.replace(/\\(.)/g, '$1') ?? dotted };
      rest = rest.slice(whole.length);
    } else if (named !== null && at !== undefined) {
      const [whole, key = '', equals] = named;
      const { value, length } = readValue(rest.slice(whole.length));
      settings.push({ ...at, key: key.toLowerCase(), value: equals === '' ? undefined : value });
      rest = rest.slice(whole.length + length);
    } else {
      const end = rest.indexOf('\n');
      rest = end === -1 ? '' : rest.slice(end + 1);
    }
  }
  return settings;
};
