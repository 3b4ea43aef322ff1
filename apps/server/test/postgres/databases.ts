import { nanoid } from 'nanoid';
import pg from 'pg';
import { inject } from 'vitest';
import { watchQueries } from './in-flight.ts';

type Make = (dataDir: string) => Promise<void>;

interface Database {
  url: string;
  /** The data folder whose store it is. */
  dataDir: string;
  /** What has made its tables. */
  make: Make;
  /** Deletes all rows. */
  empty: string;
}

const query = async (url: string, text: string): Promise<pg.QueryResult> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
};

/** The url of a new database without tables; it goes with the cluster. */
export const newDatabase = async (): Promise<string> => {
  const name = `d${nanoid(16)}`;
  await query(inject('postgres'), `create database "${name}"`);
  const url = new URL(inject('postgres'));
  url.pathname = `/${name}`;
  return url.href;
};

/** Without triggers and references: the order of the tables does not matter. */
const emptyingOf = async (url: string): Promise<string> => {
  const { rows } = await query(
    url,
    `select string_agg(format('delete from %I', tablename), ';') as text from pg_tables
     where schemaname = 'public' and tablename not like 'kysely%' and tablename <> 'oauthResource'`,
  );
  return `set session_replication_role = replica; ${rows[0].text}`;
};

/** Databases that the tests of one worker use one after the other. */
export const createDatabases = ({ isUsed }: { isUsed(dataDir: string): boolean }) => {
  const made: Database[] = [];
  const urlOf = (dataDir: string): string => {
    const url = made.find((one) => one.dataDir === dataDir)?.url;
    if (url === undefined) throw new Error(`${dataDir} has no store`);
    return url;
  };

  return {
    urlOf,
    assign: async (dataDir: string, make: Make): Promise<void> => {
      watchQueries();
      const free = made.find((one) => one.make === make && !isUsed(one.dataDir));
      if (free) {
        await query(free.url, free.empty);
        free.dataDir = dataDir;
        return;
      }
      const url = await newDatabase();
      const database = { url, dataDir, make, empty: '' };
      made.push(database);
      await make(dataDir);
      database.empty = await emptyingOf(url);
      await query(url, database.empty);
    },
  };
};
