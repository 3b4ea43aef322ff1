import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Clock } from '@drawbridge/kit';

/** What a client carries for us and must neither read nor change, nor use for anything but what it was given for. */
export interface Seal {
  /** `binding`: all that it holds for, such as whose it is and which tool it belongs to. */
  seal(value: unknown, binding: readonly string[]): string;
  /** The value; null where the text was changed, belongs to another binding, is too old, or is none of ours. */
  open(text: string, binding: readonly string[]): unknown;
}

interface SealNeeds {
  /** The server's own; the key is derived from it. */
  secret: string;
  clock: Clock;
  ttlMs: number;
}

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

export const createSeal = ({ secret, clock, ttlMs }: SealNeeds): Seal => {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'mcp request state', keyBytes));
  const bound = (binding: readonly string[]) => Buffer.from(JSON.stringify(binding));

  const decrypt = (text: string, binding: readonly string[]): unknown => {
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length < nonceBytes + tagBytes || bytes.toString('base64url') !== text) return null;
    const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes));
    decipher.setAAD(bound(binding)).setAuthTag(bytes.subarray(-tagBytes));
    try {
      const plain = decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8');
      return JSON.parse(plain + decipher.final('utf8'));
    } catch {
      return null;
    }
  };

  return {
    seal: (value, binding) => {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(bound(binding));
      const plain = JSON.stringify({ value, endsAt: clock.now() + ttlMs });
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64url');
    },
    open: (text, binding) => {
      const sealed = decrypt(text, binding);
      if (typeof sealed !== 'object' || sealed === null || !('value' in sealed) || !('endsAt' in sealed))
        return null;
      return typeof sealed.endsAt === 'number' && clock.now() < sealed.endsAt ? sealed.value : null;
    },
  };
};
