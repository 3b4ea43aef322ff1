import { nextMacrotask } from '@drawbridge/kit';
import pg from 'pg';
import type { StoreConnections } from '../store.ts';
import { coded } from './pg-error.ts';
import { createSession, type Session } from './session.ts';
import type { StatementNames } from './statement-names.ts';
import { waitAtMost } from './wait-at-most.ts';

/** A session of one user until it is released. */
export interface LentSession extends Session {
  /** `isDiscarded`: it is closed instead of lent again. */
  release(isDiscarded?: boolean): void;
}

export interface PoolNeeds {
  names: StatementNames;
  config: pg.PoolConfig;
  /** How long one waits for a session. */
  waitMs: number;
}

/** Connections that are lent one by one. */
export const createPool = ({ config, names, waitMs }: PoolNeeds) => {
  const pool = new pg.Pool(config);
  // Without a listener, a connection that Postgres closes would end the process.
  const ignore = () => {};
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
  const sessions = new WeakMap<pg.PoolClient, Session>();
  const used = new Set<Promise<unknown>>();

  const sessionOf = (client: pg.PoolClient): Session => {
    const known = sessions.get(client) ?? createSession(client, names);
    sessions.set(client, known);
    return known;
  };

  const connect = async (): Promise<LentSession> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    used.add(promise);
    const free = () => {
      used.delete(promise);
      resolve();
    };
    const lent = pool.connect();
    try {
      const client = await waitAtMost(waitMs, lent);
      const session = sessionOf(client);
      const release = (isDiscarded = false) => {
        client.release(isDiscarded || session.isBroken());
        free();
      };
      return { ...session, release };
    } catch (error) {
      lent.then((client) => client.release()).catch(ignore);
      free();
      throw coded(error);
    }
  };

  return {
    connect,
    /** Waits for what is in use: what waits for a connection when a pool ends would wait for ever. */
    idle: async (): Promise<void> => {
      // A query that has begun asks for its connection a few promises later.
      await nextMacrotask();
      while (used.size > 0) await Promise.all(used);
    },
    connections: (): StoreConnections => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    end: () => pool.end(),
  };
};

export type Pool = ReturnType<typeof createPool>;
