import type { Clock } from '@drawbridge/kit';
import { decodeProtectedHeader, errors, importJWK, importX509, jwtVerify, type JWTPayload } from 'jose';
import { z } from 'zod';

const keptMs = 60 * 60_000;
const againMs = 30_000;
/** Not to ask an issuer that is away with each request. */
const failedMs = 5_000;
const toleranceSeconds = 300;
const algorithm = 'RS256';

/** A public key of an issuer. `endorsements`: the channels of Microsoft that it may sign for. */
export interface IssuerKey {
  key: Parameters<typeof jwtVerify>[1] & object;
  endorsements: readonly string[];
}

type KeySet = ReadonlyMap<string, IssuerKey>;

const jwks = z.object({
  keys: z.array(
    z.looseObject({ kid: z.string(), kty: z.string(), endorsements: z.array(z.string()).default([]) }),
  ),
});

/** Keys of a JWKS document. Throws for another one. */
export const keysOfJwks = async (document: unknown): Promise<KeySet> => {
  const rsa = jwks.parse(document).keys.filter(({ kty }) => kty === 'RSA');
  const read = rsa.map(async ({ kid, endorsements, ...key }) => {
    const imported = await importJWK(key, algorithm);
    if (imported instanceof Uint8Array) throw new TypeError('not a public key');
    return [kid, { key: imported, endorsements }] as const;
  });
  return new Map(await Promise.all(read));
};

/** Keys of certificates by their ids. Throws for another document. */
export const keysOfCertificates = async (document: unknown): Promise<KeySet> => {
  const read = Object.entries(z.record(z.string(), z.string()).parse(document)).map(
    async ([kid, certificate]) =>
      [kid, { key: await importX509(certificate, algorithm), endorsements: [] }] as const,
  );
  return new Map(await Promise.all(read));
};

/**
 * The public keys of an issuer, loaded when they are needed. `load` rejects where they cannot be reached; an
 * unknown id has them loaded again, at most every 30 s.
 */
export const createKeys = ({ clock, load }: { clock: Clock; load(): Promise<KeySet> }) => {
  let latest: { keys: Promise<KeySet>; at: number; isFailed: boolean } | null = null;
  const current = (maxAgeMs: number): Promise<KeySet> => {
    const age = clock.now() - (latest?.at ?? 0);
    if (latest !== null && age < (latest.isFailed ? failedMs : maxAgeMs)) return latest.keys;
    const started = { keys: load(), at: clock.now(), isFailed: false };
    started.keys.catch(() => (started.isFailed = true));
    latest = started;
    return started.keys;
  };
  return {
    find: async (id: string): Promise<IssuerKey | null> =>
      (await current(keptMs)).get(id) ?? (await current(againMs)).get(id) ?? null,
  };
};

type Keys = ReturnType<typeof createKeys>;

interface Expected {
  clock: Clock;
  keys: Keys;
  issuer: string;
  audience: string;
}

/** The token of an `Authorization: Bearer` header; null for another one. */
export const bearerOf = (header: string | undefined): string | null =>
  /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/.exec(header ?? '')?.[1] ?? null;

const keyIdOf = (token: string): string | null => {
  try {
    const { alg, kid } = decodeProtectedHeader(token);
    return alg === algorithm && kid !== undefined ? kid : null;
  } catch {
    return null;
  }
};

/** The claims of a token, and who signed it; null for one that is not right. Throws what `load` throws. */
export const readToken = async (
  token: string | null,
  { clock, keys, issuer, audience }: Expected,
): Promise<{ claims: JWTPayload; endorsements: readonly string[] } | null> => {
  const keyId = token === null ? null : keyIdOf(token);
  const signedBy = keyId === null ? null : await keys.find(keyId);
  if (token === null || signedBy === null) return null;
  try {
    const { payload } = await jwtVerify(token, signedBy.key, {
      issuer,
      algorithms: [algorithm],
      clockTolerance: toleranceSeconds,
      requiredClaims: ['exp'],
      currentDate: new Date(clock.now()),
    });
    // A list could have the audience of others beside it.
    return payload.aud === audience ? { claims: payload, endorsements: signedBy.endorsements } : null;
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return null;
    throw error;
  }
};
