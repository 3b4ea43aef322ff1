import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  hkdfSync,
  randomBytes,
  verify,
  type ECDH,
} from 'node:crypto';
import { createServer } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import type { LookupAddress } from 'node:dns';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';
import { onTestFinished } from 'vitest';
import { leadTo } from './document-site.ts';

export const pushHost = 'updates.push.services.mozilla.com';

export interface Pushed {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A browser's subscription, with its private keys. */
export const newSubscription = (name: string) => {
  const keys = createECDH('prime256v1');
  keys.generateKeys();
  const auth = randomBytes(16);
  return {
    keys,
    auth,
    /** What the browser hands to the page. */
    json: {
      endpoint: `https://${pushHost}/wpush/v2/${name}`,
      expirationTime: null,
      keys: { p256dh: keys.getPublicKey('base64url'), auth: auth.toString('base64url') },
    },
  };
};

/** A question that a notification shows, as the store has it. */
export const noticeRow = {
  ...{ tokenDigest: 'x', userId: 'x', endpoint: '', session: '', askId: 'x', confirmationId: null },
  ...{ digest: '', offers: '[]', sentAt: 0, expiresAt: Number.MAX_SAFE_INTEGER, usedAt: null },
};

/** As a browser decrypts a message. RFC 8291 and RFC 8188, one record. */
export const decrypt = ({ keys, auth }: { keys: ECDH; auth: Buffer }, body: Buffer): unknown => {
  const salt = body.subarray(0, 16);
  const keyLength = body[20] ?? 0;
  const theirs = body.subarray(21, 21 + keyLength);
  const shared = keys.computeSecret(theirs);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), keys.getPublicKey(), theirs]);
  const input = Buffer.from(hkdfSync('sha256', shared, auth, info, 32));
  const derive = (what: string, length: number) =>
    Buffer.from(hkdfSync('sha256', input, salt, `Content-Encoding: ${what}\0`, length));
  const text = body.subarray(21 + keyLength);
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
  decipher.setAuthTag(text.subarray(-16));
  const padded = Buffer.concat([decipher.update(text.subarray(0, -16)), decipher.final()]);
  return JSON.parse(padded.subarray(0, padded.lastIndexOf(2)).toString());
};

/** The claims of a VAPID header whose signature is right under the server's public key. RFC 8292. */
export const vapidClaims = (authorization: string, publicKey: string): unknown => {
  const token = /t=([^,]+)/.exec(authorization)?.[1] ?? '';
  const [head = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(publicKey, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
  const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }, format: 'jwk' });
  const signed = Buffer.from(`${head}.${claims}`);
  const proof = { key, dsaEncoding: 'ieee-p1363' } as const;
  if (!verify('sha256', signed, proof, Buffer.from(signature, 'base64url'))) throw new Error('bad signature');
  return JSON.parse(Buffer.from(claims, 'base64url').toString());
};

/** A push service on loopback under the name of a real one; `status` is what it answers from now on. */
export const openPushService = async (names: Record<string, LookupAddress[]> = {}) => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: pushHost }], {
    keyType: 'ec',
    algorithm: 'sha256',
  });
  const pushes: Pushed[] = [];
  const state = { status: 201 };
  const server = createServer({ key, cert }, (incoming, reply) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      pushes.push({ path: incoming.url ?? '', headers: incoming.headers, body: Buffer.concat(chunks) });
      reply.writeHead(state.status).end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  return { pushes, state, outside: leadTo({ port, cert, names }) };
};
