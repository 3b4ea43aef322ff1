import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const prefix = 'whsec_';

/** A secret of 256 bits in the form of the Standard Webhooks specification. */
export const newWebhookSecret = (): string => prefix + randomBytes(32).toString('base64');

const hmac = (key: string | Buffer, content: Uint8Array) =>
  createHmac('sha256', key).update(content).digest();

const same = (given: Buffer, right: Buffer) => given.length === right.length && timingSafeEqual(given, right);

export interface Signed {
  id: string;
  /** Seconds since 1970, in decimal digits. */
  timestamp: string;
  body: Uint8Array;
}

const standard = (secret: string, { id, timestamp, body }: Signed): Buffer =>
  hmac(
    Buffer.from(secret.slice(prefix.length), 'base64'),
    Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]),
  );

/** `webhook-signature` of Standard Webhooks. */
export const signStandard = (secret: string, signed: Signed): string =>
  `v1,${standard(secret, signed).toString('base64')}`;

/** Whether one of the signatures in a `webhook-signature` header is right. */
export const isStandardSignature = (secret: string, signed: Signed, header: string): boolean => {
  const right = standard(secret, signed);
  return header
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .some((one) => same(Buffer.from(one.slice(3), 'base64'), right));
};

/** `X-Signature-256`: HMAC-SHA256 of the body under the whole text of the secret. */
export const signBody = (secret: string, body: Uint8Array): string =>
  `sha256=${hmac(secret, body).toString('hex')}`;

/** Whether an `X-Signature-256` or `X-Hub-Signature-256` header is right. */
export const isBodySignature = (secret: string, body: Uint8Array, header: string): boolean =>
  same(Buffer.from(header), Buffer.from(signBody(secret, body)));
