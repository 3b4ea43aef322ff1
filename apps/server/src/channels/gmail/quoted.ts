/** A mail in two: what its sender wrote, and what others wrote, which is data. */
export interface SplitText {
  own: string;
  quoted: string;
}

/** Programs set a line of signs above what they forward. */
const divider = /^\s*[-_*=]{5,}/;
const forwarded = /^\s*Begin forwarded message:/i;
const attribution = /^\s*On\b.{4,300}\bwrote:\s*$/;
/** `From: Alice <alice@…>`, in any language, above the next line of such a list. */
const firstField = /^\s*\*?\p{L}[\p{L} ]{1,20}:\*?\s.*@/u;
const nextField = /^\s*\*?\p{L}[\p{L} -]{1,20}:\*?\s/u;
/** The end of a sentence with an address or a date, above a quote. */
const sourceLength = 400;
const source = /(@|\d\D*\d\D*\d\D*\d).*:\s*$/;

const startsAt = (lines: readonly string[], at: number): boolean => {
  const line = lines[at] ?? '';
  if (line.startsWith('>') || divider.test(line) || forwarded.test(line)) return true;
  if (firstField.test(line) && nextField.test(lines[at + 1] ?? '')) return true;
  // A mail program breaks the line where it is long.
  return [1, 2, 3].some((count) => attribution.test(lines.slice(at, at + count).join(' ')));
};

/** The line where the sentence above a quote begins: its names are chosen by others. */
const withSource = (lines: readonly string[], at: number): number => {
  const end = lines.findLastIndex((line, index) => index < at && line.trim() !== '');
  const blank = lines.findLastIndex((line, index) => index < end && line.trim() === '');
  const above = lines.slice(blank + 1, end + 1).join(' ');
  return end >= 0 && above.length <= sourceLength && source.test(above) ? blank + 1 : at;
};

/** What stands behind the first quote is quoted, also where the sender went on below it. */
export const splitText = (text: string): SplitText => {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const first = lines.findIndex((_line, at) => startsAt(lines, at));
  if (first < 0) return { own: lines.join('\n').trim(), quoted: '' };
  const at = withSource(lines, first);
  return { own: lines.slice(0, at).join('\n').trim(), quoted: lines.slice(at).join('\n').trim() };
};

/** How mail programs mark a quote. */
const quoteElement =
  /<blockquote\b|<[a-z]+\b[^<>]{0,500}\b(?:gmail_quote|gmail_attr|gmail_extra|yahoo_quoted|moz-cite-prefix|divRplyFwdMsg|appendonsend)/i;

/** The same for HTML. `read`: the visible text of HTML. */
export const splitHtml = async (
  html: string,
  read: (html: string) => Promise<string>,
): Promise<SplitText> => {
  const found = html.search(quoteElement);
  const at = found < 0 ? html.length : found;
  const { own, quoted } = splitText(await read(html.slice(0, at)));
  const rest = await read(html.slice(at));
  return { own, quoted: [quoted, rest].filter((one) => one !== '').join('\n') };
};
