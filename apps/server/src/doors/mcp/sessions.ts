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

/** Ids that are remembered as proven; beyond this the oldest is forgotten. */
const mostProven = 1_000;

interface Proven {
  accessId: string;
  issuedAt: number;
  can: ClientAbility[];
}

export const createSessions = ({ clock, secret }: { clock: Clock; secret: string }): Sessions => {
  const macOf = (content: string, accessId: string) =>
    createHmac('sha256', secret)
      .update(JSON.stringify(['mcp-session', content, accessId]))
      .digest('base64url');

  const proven = new Map<string, Proven>();
  const prove = (id: string, accessId: string): Proven | undefined => {
    const { issued, flags, mac } = shape.exec(id)?.groups ?? {};
    if (issued === undefined || flags === undefined || mac === undefined) return undefined;
    const expected = macOf(id.slice(0, -mac.length - 1), accessId);
    if (!timingSafeEqual(Buffer.from(mac), Buffer.from(expected))) return undefined;
    const can = clientAbilities.filter((_ability, at) => flags[at] === '1');
    const session = { accessId, issuedAt: Number.parseInt(issued, 36), can };
    const [oldest] = proven.keys();
    if (proven.size >= mostProven && oldest !== undefined) proven.delete(oldest);
    proven.set(id, session);
    return session;
  };

  return {
    issue: (accessId, can) => {
      const flags = clientAbilities.map((ability) => (can.includes(ability) ? '1' : '0')).join('');
      const content = `${nanoid(21)}.${clock.now().toString(36)}.${flags}`;
      return `${content}.${macOf(content, accessId)}`;
    },
    read: (id, accessId) => {
      const session = proven.get(id) ?? prove(id, accessId);
      if (session?.accessId !== accessId || clock.now() - session.issuedAt >= lifetimeMs) return null;
      return { can: session.can };
    },
  };
};
