import { cutText } from '@drawbridge/kit';

export const shorten = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : `${cutText(text, maxLength - 1)}…`;
