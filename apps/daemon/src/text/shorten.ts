import { cutText } from '@drawbridge/kit';

/** At most `maxLength` characters, marked where it was cut. */
export const shorten = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : `${cutText(text, maxLength - 1)}…`;
