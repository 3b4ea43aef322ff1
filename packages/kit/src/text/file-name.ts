import { cutText } from './cut-text.ts';

const maxLength = 128;

/** The name of a file for people: without folders, and without characters that are not seen. */
export const fileNameOf = (path: string): string => {
  const last = path.split(/[/\\]/).at(-1) ?? '';
  return cutText(last.replaceAll(/\p{C}/gu, '').trim(), maxLength) || 'file';
};
