import { createHmac, timingSafeEqual } from 'node:crypto';
import { createBoundedMap, type Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { clientCapabilities } from '../elicitation/client-capabilities.ts';
import type { ClientCapability } from '../tools/call.ts';

const dayMs = 24 * 60 * 60 * 1_000;
const lifetimeMs = 30 * dayMs;
const shape = /^(?<name>[\w-]{21})\.(?<issued>[0-9a-z]{1,10})\.(?<flags>[01]{4})\.(?<mac>[\w-]{43})$/;

/** Ids whose signature was verified. */
const maxProven = 1_000;

interface Proven {
  callerId: string;
  issuedAt: number;
  capabilities: ClientCapability[];
}

/**
 * Ids of sessions of the 2025 revision. They hold their user and what the client can do: any server with
 * the secret knows them again.
 */
export const createSessions = ({ clock, secret }: { clock: Clock; secret: string }) => {
  const macOf = (content: string, callerId: string) =>
    createHmac('sha256', secret)
      .update(JSON.stringify(['mcp-session', content, callerId]))
      .digest('base64url');

  const proven = createBoundedMap<string, Proven>({ maxEntries: maxProven });
  const prove = (id: string, callerId: string): Proven | undefined => {
    const { issued, flags, mac } = shape.exec(id)?.groups ?? {};
    if (issued === undefined || flags === undefined || mac === undefined) return undefined;
    const expected = macOf(id.slice(0, -mac.length - 1), callerId);
    if (!timingSafeEqual(Buffer.from(mac), Buffer.from(expected))) return undefined;
    const capabilities = clientCapabilities.filter((_capability, at) => flags[at] === '1');
    const session = { callerId, issuedAt: Number.parseInt(issued, 36), capabilities };
    proven.set(id, session);
    return session;
  };

  return {
    issue: (callerId: string, capabilities: readonly ClientCapability[]): string => {
      const flags = clientCapabilities
        .map((capability) => (capabilities.includes(capability) ? '1' : '0'))
        .join('');
      const content = `${nanoid(21)}.${clock.now().toString(36)}.${flags}`;
      return `${content}.${macOf(content, callerId)}`;
    },
    /**
     * What the session's client can do; null if the id was not issued to this token or has expired. It never
     * stands for the token.
     */
    read: (id: string, callerId: string): { capabilities: ClientCapability[] } | null => {
      const session = proven.get(id) ?? prove(id, callerId);
      if (session?.callerId !== callerId || clock.now() - session.issuedAt >= lifetimeMs) return null;
      return { capabilities: session.capabilities };
    },
  };
};

export type Sessions = ReturnType<typeof createSessions>;
