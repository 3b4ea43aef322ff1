import { cutText } from '@drawbridge/kit';

/** Characters of a result that the model sees; what is longer keeps its beginning and its end. */
const maxResultLength = 40_000;
const headLength = 30_000;
const tailLength = 8_000;

/** The last characters of a text, without a lone surrogate at the beginning. */
const endOf = (text: string, length: number): string => text.slice(-length).replace(/^[\udc00-\udfff]/, '');

/** A result as the model sees it, with the id for `read-result` where its middle is left out. */
export const cutResult = (text: string, callId: string): { text: string; isCut: boolean } => {
  if (text.length <= maxResultLength) return { text, isCut: false };
  const head = cutText(text, headLength);
  const tail = endOf(text, tailLength);
  const left = text.length - head.length - tail.length;
  const note = `[${left} characters are left out here. read-result with id "${callId}" and offset ${head.length} reads on.]`;
  return { text: `${head}\n${note}\n${tail}`, isCut: true };
};
