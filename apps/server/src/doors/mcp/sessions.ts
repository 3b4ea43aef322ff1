import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { clientAbilities, type ClientAbility } from './client-side.ts';

/** Ids of sessions of the 2025 revision. They hold whose they are and what the client can do: any server with the secret knows them again. */
export interface Sessions {
  issue(accessId: string, can: readonly ClientAbility[]): string;
  /** What the session's client can do; null where the id was not issued to this token or has expired. It never stands for the token. */
  read(id: string, accessId: string): { can: ClientAbility[] } | null;
}

const dayMs = 24 * 60 * 60 * 1_000;
const lifetimeMs = 30 * dayMs;
const shape = /^(?<name>[\w-]{21})\.(?<issued>[0-9a-z]{1,10})\.(?<flags>[01]{4})\.(?<mac>[\w-]{43})$/;

export const createSessions = ({ clock, secret }: { clock: Clock; secret: string }): Sessions => {
  const macOf = (content: string, accessId: string) =>
    createHmac('sha256', secret)
      .update(JSON.stringify(['mcp-session', content, accessId]))
      .digest('base64url');

  return {
    issue: (accessId, can) => {
      const flags = clientAbilities.map((ability) => (can.includes(ability) ? '1' : '0')).join('');
      const content = `${nanoid(21)}.${clock.now().toString(36)}.${flags}`;
      return `${content}.${macOf(content, accessId)}`;
    },
    read: (id, accessId) => {
      const { issued, flags, mac } = shape.exec(id)?.groups ?? {};
      if (issued === undefined || flags === undefined || mac === undefined) return null;
      const expected = macOf(id.slice(0, -mac.length - 1), accessId);
      if (!timingSafeEqual(Buffer.from(mac), Buffer.from(expected))) return null;
      if (clock.now() - Number.parseInt(issued, 36) >= lifetimeMs) return null;
      return { can: clientAbilities.filter((_ability, at) => flags[at] === '1') };
    },
  };
};
