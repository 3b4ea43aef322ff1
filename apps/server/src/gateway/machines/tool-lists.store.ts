import type { Transaction } from 'kysely';
import type { Schema } from '../../db/index.ts';
import type { ToolList } from './tool-list.ts';

/** Deletes a list without machines: otherwise a daemon that changes its tools would fill the disk. */
export const dropToolList = (trx: Transaction<Schema>, digest: string) =>
  trx
    .deleteFrom('toolLists')
    .where('digest', '=', digest)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('machines').select('machines.id').where('machines.toolsDigest', '=', digest))),
    )
    .execute();

export const storeToolList = (trx: Transaction<Schema>, { digest, json }: ToolList) =>
  trx
    .insertInto('toolLists')
    .values({ digest, tools: json })
    .onConflict((conflict) =>
      // Repairs a damaged row.
      conflict.column('digest').doUpdateSet({ tools: json }).where('toolLists.tools', '!=', json),
    )
    .execute();

/** A machine's epoch and the digest of its list; undefined for one that is not stored yet. */
export const storedDigest = (trx: Transaction<Schema>, id: string) =>
  trx.selectFrom('machines').select(['toolsDigest', 'epoch']).where('id', '=', id).executeTakeFirst();
