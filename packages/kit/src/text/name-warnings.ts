import { warningsOf, type TextWarning } from './visible-text.ts';

/** Letters of other scripts, and digits, that are drawn like these Latin letters. */
const drawnAs: Record<string, string> = {
  a: 'аαɑ',
  b: 'ьβ',
  c: 'сϲ',
  d: 'ԁ',
  e: 'еє',
  g: 'ɡԍ',
  h: 'һ',
  i: 'іιıӏ1l|',
  j: 'ј',
  k: 'кκ',
  m: 'м',
  n: 'пη',
  o: 'оοσ0',
  p: 'рρ',
  r: 'гᴦ',
  s: 'ѕ5',
  t: 'тτ',
  u: 'υս',
  v: 'ѵν',
  w: 'ԝш',
  x: 'хχ',
  y: 'уγ',
};
const latin = new Map(Object.entries(drawnAs).flatMap(([to, all]) => [...all].map((from) => [from, to])));

/** A name as a careless reader sees it: without marks, case and what lies between its letters. */
const skeletonOf = (name: string): string =>
  [...name.normalize('NFKD').toLowerCase()]
    .map((char) => latin.get(char) ?? char)
    .join('')
    .replaceAll('vv', 'w')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

const ours = skeletonOf('Drawbridge');
const otherScript = /^[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}]{2,}$/u;

/** Whether a whole word of another script reads as a Latin one. */
const readsAsLatin = (name: string): boolean =>
  (name.match(/\p{L}+/gu) ?? []).some((word) => otherScript.test(word) && /^[a-z]+$/.test(skeletonOf(word)));

/**
 * The warnings about a name that a program has given itself: those of every text that a person decides on,
 * a word that only looks Latin, and a name that is or contains that of Drawbridge.
 */
export const nameWarningsOf = (name: string): TextWarning[] => {
  const warnings = new Set(warningsOf(name));
  if (readsAsLatin(name)) warnings.add('look-alikes');
  if (skeletonOf(name).includes(ours)) warnings.add('own-name');
  return [...warnings];
};
