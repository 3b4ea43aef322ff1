import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** Encrypts secrets for the store. */
export interface Sealer {
  /** `purpose` names the owner of the secret and the server that it is sent to; it is not stored. */
  seal(secret: string, purpose: string): string;
  /** Null for a text that was altered, was sealed for another purpose, or under another key. */
  unseal(sealed: string, purpose: string): string | null;
}

/** AES-256-GCM under a key derived from a secret, by default the server's, by HKDF with SHA-256. */
export const createSealer = (secret: string, use = 'drawbridge agent settings'): Sealer => {
  const key = Buffer.from(hkdfSync('sha256', secret, '', use, 32));
  return {
    seal: (text, purpose) => {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(purpose));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    unseal: (sealed, purpose) => {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length < ivBytes + tagBytes) return null;
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), {
        authTagLength: tagBytes,
      })
        .setAAD(Buffer.from(purpose))
        .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
      try {
        const text = decipher.update(bytes.subarray(ivBytes + tagBytes));
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch {
        return null;
      }
    },
  };
};
