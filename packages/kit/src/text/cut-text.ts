/** At most `length` UTF-16 code units of a text, without a lone surrogate at the end. */
export const cutText = (text: string, length: number): string => {
  if (text.length <= length) return text;
  const cut = text.slice(0, length);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
};
