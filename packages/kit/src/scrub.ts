/** Our own tokens, by their prefix; the underscore also URL-encoded or as a JSON escape. The one list. */
const ownToken =
  /(?:(gw|sess|setup|invite)(?:_|%5f|\\u005f)[A-Za-z0-9_-]{6,}|(reset|whsec|dbt|dbo|dbr|dbs|dbp|dbw)(?:_|%5f|\\u005f)[A-Za-z0-9_+/-]{16,}=?)/gi;
/** The value after the name of a header, parameter or field that holds a secret. */
const named =
  /((?:api_?key|x-gateway-key|authorization|cookie|password|passwd|secret|access_?token|refresh_?token|session_token|setuptoken|invitationtoken|resettoken|code_verifier|requeststate)(?:\\?"|%22)?(?:=|%3d|\s{0,4}:)\s{0,4}(?:\\?"|%22)?(?:bearer |basic )?)([^"\\,&\s}]+)/gi;
/** An OAuth code in a URL; elsewhere `code` is an error code. */
const codeInAddress = /([?&]code(?:=|%3d))[^&\s"\\]+/gi;
/** Keys of other services, by their prefix. */
const common =
  /\b(?:sk-|sk_live_|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|npm_|AKIA|AIza|eyJ[A-Za-z0-9_-]{8,2000}\.)[A-Za-z0-9_.-]{12,}/g;

/** The part of a secret's base64 that is independent of adjacent bytes, at this offset (0, 1 or 2 of 3). */
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

/** Replaces tokens of a known form with `mask`, whatever stands around them. */
export const withoutTokens = (text: string, mask = '…'): string =>
  text
    .replace(ownToken, (_token, first?: string, second?: string) => `${first ?? second}_${mask}`)
    .replace(common, mask);

/** Replaces everything that looks like a key with `mask`. Linear in the text's length. */
export const withoutKeys = (text: string, mask = '…'): string =>
  withoutTokens(
    text
      .replace(named, (_pair, name: string) => name + mask)
      .replace(codeInAddress, (_pair, name: string) => name + mask),
    mask,
  );

/** Masks keys in a text: those that look like one, and the values that were passed to `hide`. */
export const createScrubber = (mask = '…') => {
  const known = new Set<string>();
  return {
    /** Masks this value from now on, also as base64, hex, JSON or part of a URL. */
    hide: (secret: string) => {
      for (const spelling of spellings(secret)) if (spelling.length >= 8) known.add(spelling);
    },
    scrub: (text: string) =>
      withoutKeys(
        [...known].reduce((rest, secret) => rest.replaceAll(secret, () => mask), text),
        mask,
      ),
  };
};

export type Scrubber = ReturnType<typeof createScrubber>;
