import pg from 'pg';
import { coded } from './pg-error.ts';
import { createSession, type QueryResult, type Session } from './session.ts';
import type { StatementNames } from './statement-names.ts';
import { waitAtMost } from './wait-at-most.ts';

interface SharedNeeds {
  names: StatementNames;
  config: pg.ClientConfig;
  /** How long a statement waits for its connection. */
  waitMs: number;
  /** How many connections there are. */
  size: number;
}

interface Slot {
  client: pg.Client;
  session: Promise<Session>;
}

/**
 * Connections that many use at once, for single statements that are transactions of their own. Paid by
 * bench/results.md: "`/mcp` on Postgres against SQLite, 64 in flight".
 */
export const createSharedSessions = ({ config, size, names, waitMs }: SharedNeeds) => {
  const slots = new Map<number, Slot>();
  const running = new Set<Promise<unknown>>();
  let next = 0;

  const open = (at: number): Slot => {
    const client = new pg.Client(config);
    const drop = () => {
      if (slots.get(at)?.client === client) slots.delete(at);
    };
    client.on('error', drop);
    client.on('end', drop);
    const session = client.connect().then(
      () => createSession(client, names),
      (error: unknown) => {
        drop();
        throw coded(error);
      },
    );
    const slot = { client, session };
    slots.set(at, slot);
    return slot;
  };

  const run = async (text: string, values: readonly unknown[]): Promise<QueryResult> => {
    const at = next;
    next = (next + 1) % size;
    const { client, session } = slots.get(at) ?? open(at);
    const opened = await waitAtMost(waitMs, session);
    try {
      return await opened.query(text, values);
    } catch (error) {
      // Its end is heard later than this error: until then the next statement would fail, too.
      if (opened.isBroken() && slots.get(at)?.client === client) slots.delete(at);
      if (opened.isBroken()) void client.end().catch(() => {});
      throw error;
    }
  };

  return {
    query: (text: string, values: readonly unknown[]): Promise<QueryResult> => {
      const result = run(text, values);
      const settled = result.then(
        () => {},
        () => {},
      );
      running.add(settled);
      void settled.then(() => running.delete(settled));
      return result;
    },
    end: async (): Promise<void> => {
      while (running.size > 0) await Promise.all(running);
      await Promise.all([...slots.values()].map(({ client }) => client.end()));
    },
  };
};

export type SharedSessions = ReturnType<typeof createSharedSessions>;
