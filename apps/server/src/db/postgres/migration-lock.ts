import type { Pool } from './pool.ts';

/** The key of the advisory lock: "drawbridge" has no other in its database. */
const key = 4_310_592_677_531;

/** Runs while no other server of this database does; waits for the one that does. */
export const whileAlone = async <Result>(pool: Pool, run: () => Promise<Result>): Promise<Result> => {
  const session = await pool.connect();
  try {
    await session.query('select pg_advisory_lock($1)', [key]);
    try {
      return await run();
    } finally {
      await session.query('select pg_advisory_unlock($1)', [key]);
    }
  } finally {
    session.release();
  }
};
