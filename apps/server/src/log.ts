import { pino, type Logger } from 'pino';

export type { Logger } from 'pino';

const hidden = '[hidden]';

/** Our own tokens, by their prefix; the underscore also URL-encoded or as a JSON escape. */
const ownToken = /(gw|sess|setup|invite|dbt|dbo|dbr|dbs)(_|%5f|\\u005f)[A-Za-z0-9_-]{16,}/gi;
/** What follows the name of a header, parameter or field that holds a secret. */
const named =
  /((?:api_?key|x-gateway-key|authorization|cookie|password|secret|session_token|setuptoken|invitationtoken|access_token|refresh_token|code_verifier|requeststate)(?:\\?"|%22)?(?:=|%3d|\s{0,4}:)\s{0,4}(?:\\?"|%22)?(?:bearer |basic )?)([^"\\,&\s}]+)/gi;
/** A code of OAuth in an address; elsewhere `code` names errors. */
const codeInAddress = /([?&]code(?:=|%3d))[^&\s"\\]+/gi;
/** Valid in JSON, but a terminal or another reader of lines acts on them. */
const lineBreaking = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Takes every key out of a line of log, in linear time; `secrets` are values that only this server knows. */
export const createScrubber = (secrets: readonly string[]): ((line: string) => string) => {
  const known = secrets.flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
  ]);
  return (line) => {
    const without = known.reduce((text, secret) => text.replaceAll(secret, hidden), line);
    return without
      .replace(ownToken, `$1_${hidden}`)
      .replace(named, `$1${hidden}`)
      .replace(codeInAddress, `$1${hidden}`)
      .replace(lineBreaking, escaped);
  };
};

interface LogNeeds {
  level: string;
  secrets: readonly string[];
  write(line: string): void;
}

/** One JSON object a line, scrubbed after everything else has been put together. */
export const createLog = ({ level, secrets, write }: LogNeeds): Logger => {
  const scrub = createScrubber(secrets);
  return pino({ level, base: null }, { write: (line: string) => write(scrub(line)) });
};
