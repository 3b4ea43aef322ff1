import type { Kysely, Selectable } from 'kysely';
import { dialectOf, prepareQuery, type CallTable, type Schema, type Slot } from '../../../db/index.ts';
import { changingColumns, headColumns } from './call-row.ts';
import type { EpochFence, NewestFence, OpenLimits, StreamFence } from './call-write.ts';

type Row = Selectable<CallTable>;

const insertedColumns = [...headColumns, 'result', 'arguments', 'viaKind', 'viaId'] as const;
const sharedColumns = [...insertedColumns, 'makerId', 'dueAt'] as const;

/** The value of each column, where the query is run. */
const slotsOf = <Name extends keyof Row>(slot: Slot<Row>, names: readonly Name[]) =>
  // One slot for each name.
  Object.fromEntries(names.map((name) => [name, slot(name)])) as Pick<Row, Name>;

/** How many calls are open, in the statement that stores one more. */
const countedOpen = (db: Kysely<Schema>, slot: Slot<Row>) =>
  db
    .selectFrom('calls')
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .where('calls.userId', '=', slot('userId'))
    .where('calls.endedAt', 'is', null)
    .where('calls.dueAt', 'is not', null);

export const prepareCallQueries = (db: Kysely<Schema>, openLimits: OpenLimits | null) => {
  // Not before a stream that another server is just storing (`attach`), which would miss the call.
  const isLocked = openLimits !== null && dialectOf(db) === 'postgres';
  const machine = (slot: Slot<Row>) =>
    db
      .selectFrom('machines')
      .where('machines.id', '=', slot('machineId'))
      .$if(isLocked, (query) => query.forKeyShare());
  const onNewest = (slot: Slot<Row & NewestFence>) => machine(slot).where('stream', '=', slot('stream'));
  const onStream = (slot: Slot<Row & StreamFence>) => onNewest(slot).where('serverId', '=', slot('serverId'));
  // A pause refuses new calls; this server may not know of it yet. Those that are stored go on.
  const insertAlone = (slot: Slot<Row>, from: ReturnType<typeof machine>) =>
    db
      .insertInto('calls')
      .columns(insertedColumns)
      .expression(from.select(({ val }) => insertedColumns.map((name) => val(slot(name)).as(name))));
  const insertShared = (
    slot: Slot<Row>,
    { from, limits }: { from: ReturnType<typeof machine>; limits: OpenLimits },
  ) => {
    const ofUser = countedOpen(db, slot);
    const ofMaker = ofUser.where('viaKind', '=', slot('viaKind')).where('viaId', '=', slot('viaId'));
    return db
      .insertInto('calls')
      .columns(sharedColumns)
      .expression(
        from
          .where((where) => where(ofUser, '<', limits.maxOpenCalls))
          .where((where) => where(ofMaker, '<', limits.maxOpenCallsOfOne))
          .select(({ val }) => sharedColumns.map((name) => val(slot(name)).as(name))),
      )
      .onConflict((conflict) => conflict.column('requestId').doNothing());
  };
  const insertFrom = (slot: Slot<Row>, found: ReturnType<typeof machine>) => {
    const from = found.where('machines.pausedAt', 'is', null);
    return openLimits === null ? insertAlone(slot, from) : insertShared(slot, { from, limits: openLimits });
  };
  const updatedColumns = [...changingColumns, 'result'] as const;
  const update = (slot: Slot<Row>) =>
    db
      .updateTable('calls')
      .set(slotsOf(slot, openLimits === null ? updatedColumns : [...updatedColumns, 'dueAt']))
      .where('requestId', '=', slot('requestId'))
      .where(({ eb }) => eb(eb('rev', '+', 1), '=', slot('rev')))
      .where('endedAt', 'is', null);
  return {
    insertConnected: prepareQuery((slot: Slot<Row>) =>
      insertFrom(slot, machine(slot).where('connectedAt', 'is not', null)),
    ),
    insertDelivered: prepareQuery((slot: Slot<Row & StreamFence>) => insertFrom(slot, onStream(slot))),
    update: prepareQuery(update),
    deliver: prepareQuery((slot: Slot<Row & StreamFence>) =>
      update(slot).where(({ exists }) => exists(onStream(slot).select('machines.id'))),
    ),
    updateInEpoch: prepareQuery((slot: Slot<Row & EpochFence>) =>
      update(slot).where(({ exists }) =>
        exists(machine(slot).where('machines.epoch', '<=', slot('askedIn')).select('machines.id')),
      ),
    ),
    updateOnNewest: prepareQuery((slot: Slot<Row & NewestFence>) =>
      update(slot).where(({ exists }) => exists(onNewest(slot).select('machines.id'))),
    ),
  };
};
