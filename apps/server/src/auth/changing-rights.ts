import type { DBAdapter } from 'better-auth/adapters';
import type { Rights } from '../db/index.ts';

const writes = [
  'create',
  'update',
  'updateMany',
  'delete',
  'deleteMany',
  'consumeOne',
  'incrementOne',
] as const satisfies (keyof DBAdapter)[];

/** The adapter, each write of which is a change of rights: the account library has no other tables. */
export const changingRights = (
  adapter: DBAdapter,
  { changeRights }: Pick<Rights, 'changeRights'>,
): DBAdapter => ({
  ...adapter,
  // Each function keeps its name and its type.
  ...Object.fromEntries(
    writes.map((name) => {
      const write = adapter[name] as (input: never) => Promise<unknown>;
      return [name, (input: never) => changeRights(() => write(input))];
    }),
  ),
  transaction: (run) => changeRights(() => adapter.transaction(run)),
});
