import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { canonical, type Clock } from '@drawbridge/kit';
import type { ToolsContext } from '../tools/call.ts';

/** What calls need that ask the client. */
export interface ElicitationContext extends ToolsContext {
  sealedState: SealedState;
}

interface SealedStateNeeds {
  /** The server's secret, from which the key is derived. */
  secret: string;
  clock: Clock;
  ttlMs: number;
}

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** Equal for equal arguments, whatever the order of their names (SHA-256, base64url). */
export const argumentsDigest = (args: Record<string, unknown>): string =>
  createHash('sha256').update(canonical(args)).digest('base64url');

/**
 * State that a client carries for the server, encrypted; it can neither read nor change it, nor use it for
 * another call.
 */
export const createSealedState = ({ secret, clock, ttlMs }: SealedStateNeeds) => {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'mcp request state', keyBytes));
  const bound = (binding: readonly string[]) => Buffer.from(JSON.stringify(binding));

  const open = (text: string, binding: readonly string[]): unknown => {
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
    /** `binding`: all that the value is good for, such as its user and its tool. */
    encrypt: (value: unknown, binding: readonly string[]): string => {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(bound(binding));
      const plain = JSON.stringify({ value, endsAt: clock.now() + ttlMs });
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64url');
    },
    /** The value; null for a text that was changed, has another binding, has expired or was not made here. */
    decrypt: (text: string, binding: readonly string[]): unknown => {
      const state = open(text, binding);
      if (typeof state !== 'object' || state === null || !('value' in state) || !('endsAt' in state))
        return null;
      return typeof state.endsAt === 'number' && clock.now() < state.endsAt ? state.value : null;
    },
  };
};

export type SealedState = ReturnType<typeof createSealedState>;
