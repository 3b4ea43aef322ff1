export interface Header {
  name: string;
  value: string;
}

/** Line breaks and other control characters in a value are one blank. */
export const oneLine = (text: string): string => text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();

/** All values of a header, in order. */
export const valuesOf = (headers: readonly Header[], name: string): string[] =>
  headers.filter((one) => one.name.toLowerCase() === name).map(({ value }) => oneLine(value));

const word = /=\?([\w-]{1,40})(?:\*[\w-]*)?\?([bq])\?([^?\s]*)\?=/gi;

const decodeWord = (whole: string, charset: string, encoding: string, text: string): string => {
  const bytes =
    encoding.toLowerCase() === 'b'
      ? Buffer.from(text, 'base64')
      : Buffer.from(
          text
            .replaceAll('_', ' ')
            .replace(/=([\da-f]{2})/gi, (_sign, hex: string) =>
              String.fromCharCode(Number.parseInt(hex, 16)),
            ),
          'latin1',
        );
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return whole;
  }
};

/** A value with its encoded words as people read it, in one line. */
export const readable = (value: string): string =>
  oneLine(value.replace(/\?=\s+=\?/g, '?==?').replace(word, decodeWord));

/** An address beyond it has no row. */
const maxAddressLength = 128;
const address = String.raw`([a-z\d.!#$%&'*+/=?^_{|}~-]{1,64}@(?:[a-z\d-]{1,63}\.)+[a-z\d-]{2,63})`;
const alone = new RegExp(`^<?${address}>?$`, 'i');
const named = new RegExp(String.raw`^("(?:[^"\\]|\\.)*"|[^<>"(),;:@\\[\]]*) ?<${address}>$`, 'i');

export interface Mailbox {
  address: string;
  name: string;
}

/** The one address of a `From`; null for several, another form, and letters outside of ASCII. */
export const mailboxIn = (from: string): Mailbox | null => {
  const [, bare] = alone.exec(from) ?? [];
  const [, phrase = '', inBrackets] = named.exec(from) ?? [];
  const given = (bare ?? inBrackets)?.toLowerCase();
  if (given === undefined || given.length > maxAddressLength) return null;
  const name = readable(phrase.replace(/^"|"$/g, '').replace(/\\(.)/g, '$1'));
  return { address: given, name: name || given };
};

/** A value without its comments; null where they do not close, and for quotes, which could hide them. */
const withoutComments = (value: string): string | null => {
  if (/["\\]/.test(value)) return null;
  let depth = 0;
  let rest = '';
  for (const sign of value) {
    if (sign === '(') depth += 1;
    else if (sign === ')') depth -= 1;
    else if (depth === 0) rest += sign;
    if (depth < 0) return null;
  }
  return depth === 0 ? rest : null;
};

const property = 'header.from=';

/**
 * The domain for which Gmail itself says that the mail passed DMARC; null without one. Gmail's own header is
 * the first; who sends a mail can put others below it.
 */
const passedDomain = (headers: readonly Header[]): string | null => {
  const [first = ''] = valuesOf(headers, 'authentication-results');
  const [server = '', ...results] = (withoutComments(first) ?? '').toLowerCase().split(';');
  if (server.trim() !== 'mx.google.com') return null;
  const dmarc = results
    .map((one) => one.trim().split(/\s+/))
    .filter(([method]) => /^dmarc\b/.test(method ?? ''));
  const [[verdict, ...properties] = []] = dmarc;
  if (dmarc.length !== 1 || verdict !== 'dmarc=pass') return null;
  const domains = properties.filter((one) => one.startsWith(property));
  return domains.length === 1 ? (domains[0]?.slice(property.length) ?? null) : null;
};

interface Written {
  headers: readonly Header[];
  labels: readonly string[];
  /** The address of this server's mailbox. */
  own: string;
}

/** Who wrote a mail; null where that is not known: `From` alone proves nothing. */
export const writerOf = ({ headers, labels, own }: Written): Mailbox | null => {
  const [from = '', another] = valuesOf(headers, 'from');
  const writer = another === undefined ? mailboxIn(from) : null;
  if (writer === null) return null;
  // Gmail alone gives this label.
  if (labels.includes('SENT')) return writer.address === own ? writer : null;
  return passedDomain(headers) === writer.address.split('@')[1] ? writer : null;
};

/** In each mail of this server. */
export const turnHeader = 'X-Drawbridge-Turn';

/** Mails of programs, of lists and of this server: answers to them would be answered. */
export const isAutomatic = (headers: readonly Header[]): boolean => {
  const has = (name: string, fits: (value: string) => boolean) =>
    valuesOf(headers, name).some((value) => fits(value.toLowerCase()));
  return (
    has('auto-submitted', (value) => value !== 'no') ||
    has('precedence', (value) => /^(bulk|junk|list)$/.test(value)) ||
    has('list-id', () => true) ||
    has(turnHeader.toLowerCase(), () => true)
  );
};
