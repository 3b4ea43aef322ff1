import { withoutTokens } from '@drawbridge/kit/node';

export const secretMask = '[secret left out]';

const privateKey =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$)/g;
/** The part before the secret, which stays, and the secret. */
const pairs = [
  /(\bauthorization["']?\s{0,4}[:=]\s{0,4}["']?(?:(?:bearer|basic|token)\s{1,4})?)([^\s"',]{8,})/gi,
  /(\bbearer\s{1,4})([A-Za-z0-9._~+/=-]{16,})/gi,
  /(:\/\/[^\s/:@]{0,100}:)([^\s/@]{1,200})(?=@)/g,
  /^([ \t]{0,40}(?:export )?[A-Z0-9_]{0,60}(?:PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|ACCESS_KEY|PRIVATE_KEY)[A-Z0-9_]{0,60}[ \t]?=[ \t]?["']?)(?![a-z]+:\/\/)([^\s"'()[\]{}<$]{8,})(?=["']?[ \t]*\r?$)/gm,
  /((?:password|passwd|secret|token|api_?key)["']?\s{0,4}[:=]\s{0,4}["'])((?=[^"'\d]{0,200}\d)[^"'\s]{8,})(?=["'])/gi,
];

/**
 * Replaces secrets of a known form with `[secret left out]`: tokens of known services, private keys,
 * credentials in headers and addresses, and the values of fields and variables that are named like one.
 */
export const maskSecrets = (text: string): string =>
  pairs.reduce(
    (rest, pattern) => rest.replace(pattern, (_pair, name: string) => name + secretMask),
    withoutTokens(text.replace(privateKey, secretMask), secretMask),
  );
