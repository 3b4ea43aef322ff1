import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';

/** Ids of sessions of the 2025 revision. They hold nothing but whose they are: any server with the secret knows them again. */
export interface Sessions {
  issue(accessId: string): string;
  /** Whether the id was issued to this token and has not expired. It never stands for the token. */
  isOf(id: string, accessId: string): boolean;
}

const dayMs = 24 * 60 * 60 * 1_000;
const lifetimeMs = 30 * dayMs;
const shape = /^(?<name>[\w-]{21})\.(?<issued>[0-9a-z]{1,10})\.(?<mac>[\w-]{43})$/;

export const createSessions = ({ clock, secret }: { clock: Clock; secret: string }): Sessions => {
  const macOf = (name: string, issued: string, accessId: string) =>
    createHmac('sha256', secret)
      .update(JSON.stringify(['mcp-session', name, issued, accessId]))
      .digest('base64url');

  return {
    issue: (accessId) => {
      const name = nanoid(21);
      const issued = clock.now().toString(36);
      return `${name}.${issued}.${macOf(name, issued, accessId)}`;
    },
    isOf: (id, accessId) => {
      const { name, issued, mac } = shape.exec(id)?.groups ?? {};
      if (name === undefined || issued === undefined || mac === undefined) return false;
      const expected = macOf(name, issued, accessId);
      if (!timingSafeEqual(Buffer.from(mac), Buffer.from(expected))) return false;
      return clock.now() - Number.parseInt(issued, 36) < lifetimeMs;
    },
  };
};
