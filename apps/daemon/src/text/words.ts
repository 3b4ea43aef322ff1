import { cutText } from '@drawbridge/kit';

export const shorten = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : `${cutText(text, maxLength - 1)}…`;

/** A number of things: `1 file`, `30 files`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** The words of a table: what stands between blanks and line ends. */
export const words = (table: string): string[] => table.trim().split(/\s+/);
