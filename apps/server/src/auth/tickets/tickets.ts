import { ticketPrefix } from '@drawbridge/contracts/rpc/protocol';
import type { Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { digest } from '../digest.ts';
import type { Session } from '../sessions/session.ts';
import type { TicketsStore } from './tickets.store.ts';

interface Needs {
  clock: Clock;
  store: TicketsStore;
  /** What they are for: one for something else does not count. */
  purpose: string;
  ms: number;
  /** The session with that key; null once it has ended. */
  sessionByKey(key: string): Promise<Session | null>;
}

/** Tickets of a person who is signed in, each for one request without the proof: a digest in the store. */
export const createTickets = ({ clock, store, purpose, ms, sessionByKey }: Needs) => ({
  issue: async ({ key }: Session): Promise<{ ticket: string; expiresAt: string }> => {
    const ticket = ticketPrefix + nanoid(32);
    const now = clock.now();
    const expiresAt = now + ms;
    await store.add({ digest: digest(`${purpose} ${ticket}`), sessionToken: key, expiresAt }, now);
    return { ticket, expiresAt: new Date(expiresAt).toISOString() };
  },
  /** The session that the ticket was made for; null for a used or expired one, and after its session. */
  redeem: async (ticket: string): Promise<Session | null> => {
    const found = await store.take(digest(`${purpose} ${ticket}`));
    return found && found.expiresAt > clock.now() ? sessionByKey(found.sessionToken) : null;
  },
});

/** What may be answered once: kept as used in the store, with a digest, until it has expired anyway. */
export const createSingleUse = ({ clock, store }: Pick<Needs, 'clock' | 'store'>) => ({
  /** Whether this is its first use. Of two that try at once, one is. */
  use: async (value: string, forMs: number): Promise<boolean> => {
    const now = clock.now();
    return store.add({ digest: digest(`used ${value}`), sessionToken: '', expiresAt: now + forMs }, now);
  },
  /** For a use that came to nothing. */
  giveBack: async (value: string): Promise<void> => void (await store.take(digest(`used ${value}`))),
});

export type SingleUse = ReturnType<typeof createSingleUse>;
export type Tickets = ReturnType<typeof createTickets>;
