import type { Clock } from '@drawbridge/kit';
import { importPKCS8, SignJWT } from 'jose';

const algorithm = 'ES256';
/** Apple accepts one for an hour, and a new one every 20 minutes. */
const renewMs = 40 * 60_000;

interface Needs {
  clock: Clock;
  /** The text of the `.p8` file. */
  pem: string;
  keyId: string;
  teamId: string;
}

/** Tokens of a key for Apple's push service. Throws for a text that is no such key. */
export const createProviderToken = async ({ clock, pem, keyId, teamId }: Needs) => {
  const key = await importPKCS8(pem, algorithm);
  let latest: { text: string; renewAt: number } | null = null;
  return async (): Promise<string> => {
    if (latest !== null && clock.now() < latest.renewAt) return latest.text;
    const now = clock.now();
    const text = await new SignJWT({})
      .setProtectedHeader({ alg: algorithm, kid: keyId })
      .setIssuer(teamId)
      .setIssuedAt(Math.floor(now / 1_000))
      .sign(key);
    latest = { text, renewAt: now + renewMs };
    return text;
  };
};
