import { stripVTControlCharacters } from 'node:util';

/** All control characters but tab and line feed; carriage returns are folded before. */
const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g;

/** The last state of a line that was written over. */
const lastState = (line: string): string => {
  const ended = line.endsWith('\r') ? line.slice(0, -1) : line;
  return ended.slice(ended.lastIndexOf('\r') + 1);
};

/** Output as a person reads it: without colours and other sequences for a terminal. */
export const plainOutput = (raw: string): string =>
  stripVTControlCharacters(raw).split('\n').map(lastState).join('\n').replaceAll(controls, '');
