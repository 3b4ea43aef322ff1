import { exportJWK, exportPKCS8, generateKeyPair, importJWK, SignJWT, type JWTPayload } from 'jose';

/** An issuer of tokens with one key. Made once: a key takes a tenth of a second. */
export const openIssuer = async (kid: string, more: object = {}) => {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: 'RS256', ...more };
  const sign = (claims: JWTPayload, header: object = {}) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid, ...header }).sign(privateKey);
  return { kid, jwk, sign, pem: () => exportPKCS8(privateKey) };
};

export type Issuer = Awaited<ReturnType<typeof openIssuer>>;

const unsigned = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Tokens that no door may accept, each with what is wrong; `claims` are right. `now`: in seconds. */
export const wrongTokens = async (
  issuer: Issuer,
  claims: JWTPayload,
  now: number,
): Promise<Record<string, string>> => {
  const other = await openIssuer(issuer.kid);
  const right = await issuer.sign(claims);
  const [head = '', body = '', signature = ''] = right.split('.');
  const secret = new TextEncoder().encode(JSON.stringify(issuer.jwk));
  const { exp: _exp, ...endless } = claims;
  const hs256 = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: issuer.kid }).sign(secret);
  return {
    'another key': await other.sign(claims),
    'no signature': `${unsigned({ alg: 'none', kid: issuer.kid })}.${body}.`,
    'alg none with a signature': `${unsigned({ alg: 'none', kid: issuer.kid })}.${body}.${signature}`,
    'the public key as a secret': hs256,
    'another issuer': await issuer.sign({ ...claims, iss: 'https://accounts.example' }),
    'another audience': await issuer.sign({ ...claims, aud: 'https://other.example' }),
    'two audiences': await issuer.sign({ ...claims, aud: [String(claims.aud), 'https://other.example'] }),
    'expired 301 s ago': await issuer.sign({ ...claims, exp: now - 301 }),
    'no end': await issuer.sign(endless),
    'not yet valid': await issuer.sign({ ...claims, nbf: now + 400 }),
    'no key id': await issuer.sign(claims, { kid: undefined }),
    'other claims under the signature': `${head}.${unsigned({ ...claims, sub: 'x' })}.${signature}`,
    'no token': '',
  };
};

export { importJWK };
