import type { Client } from 'pg';
import { breaksConnection, coded, isOutdatedPlan } from './pg-error.ts';
import type { StatementNames } from './statement-names.ts';

/** What Kysely's dialect takes of a result. */
export interface QueryResult {
  command: 'UPDATE' | 'DELETE' | 'INSERT' | 'SELECT' | 'MERGE';
  rowCount: number;
  rows: unknown[];
}

/** Postgres has no NUL in a text. */
const withoutNul = (value: unknown): unknown =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;

/** Statements on one connection, whose errors have codes. */
export const createSession = (client: Client, names: StatementNames) => {
  let isBroken = false;
  const send = async (text: string, values: readonly unknown[], name: string | undefined) =>
    // Kysely runs one statement at a time: there is one result.
    (await client.query({ text, values: values.map(withoutNul), ...(name && { name }) })) as QueryResult;

  const query = async (text: string, values: readonly unknown[] = []): Promise<QueryResult> => {
    const name = names.nameOf(text);
    try {
      return await send(text, values, name);
    } catch (error) {
      if (!isOutdatedPlan(error)) throw error;
      names.forget();
      // A transaction has ended by this; outside of one the same statement runs with its new columns.
      if (client.getTransactionStatus() !== 'I') throw error;
      return await send(text, values, undefined);
    }
  };

  return {
    query: (text: string, values?: readonly unknown[]): Promise<QueryResult> =>
      query(text, values).catch((cause: unknown) => {
        const error = coded(cause);
        isBroken ||= breaksConnection(error);
        throw error;
      }),
    /** Whether the connection must not be used again. */
    isBroken: () => isBroken,
  };
};

export type Session = ReturnType<typeof createSession>;
