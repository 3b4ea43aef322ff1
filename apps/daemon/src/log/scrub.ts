/** Our own tokens, by their prefix; the underscore also URL-encoded or as a JSON escape. */
const ownToken = /(gw|sess|setup|invite)(?:_|%5f|\\u005f)[A-Za-z0-9_-]{6,}/gi;
/** What follows the name of a header, parameter or field that holds a secret. */
const named =
  /((?:api_?key|x-gateway-key|authorization|cookie|password|passwd|secret|access_?token|session_token)(?:\\?"|%22)?(?:=|%3d|\s{0,4}:)\s{0,4}(?:\\?"|%22)?(?:bearer |basic )?)([^"\\,&\s}]+)/gi;
/** Keys of other services that can be told by how they begin. */
const common =
  /\b(?:sk-|sk_live_|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|npm_|AKIA|AIza|eyJ[A-Za-z0-9_-]{8,2000}\.)[A-Za-z0-9_.-]{12,}/g;

/** The part of a secret's base64 that is the same wherever in a text it stands at this offset (0, 1 or 2 of 3 bytes). */
const base64At = (secret: string, offset: number): string => {
  const whole = Buffer.from(`${'\0'.repeat(offset)}${secret}`).toString('base64');
  return whole.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + Buffer.byteLength(secret)) * 8) / 6));
};

const spellings = (secret: string): string[] => {
  const base64 = [0, 1, 2].map((offset) => base64At(secret, offset));
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString('hex'),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
};

/** What looks like a key, wherever it comes up in a text, without what makes it work. Linear in the text's length. */
export const withoutKeys = (text: string): string =>
  text.replace(ownToken, '$1_…').replace(named, '$1…').replace(common, '…');

export interface Scrubber {
  /** From now on this value is taken out too, also as base64, hex, JSON or part of a URL. */
  hide(secret: string): void;
  scrub(text: string): string;
}

/** Takes keys out of a text: those that can be told by their look, and those that it was told of. */
export const createScrubber = (): Scrubber => {
  const known = new Set<string>();
  return {
    hide: (secret) => {
      for (const spelling of spellings(secret)) if (spelling.length >= 8) known.add(spelling);
    },
    scrub: (text) => withoutKeys([...known].reduce((left, secret) => left.replaceAll(secret, '…'), text)),
  };
};
