import {
  callError,
  callRuling,
  callState,
  callVia,
  door,
  isOpenState,
  type CallError,
  type CallState,
} from '@drawbridge/contracts/calls';
import { errorTable } from '@drawbridge/contracts/errors';
import { decision } from '@drawbridge/contracts/groups';
import { toolResult } from '@drawbridge/contracts/tool-result';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { CallTable } from '../../../db/index.ts';
import type { CallHead, CallRecord } from '../call.ts';
import { createColumns, storedTime as time, type Columns } from '../../columns.ts';

/** What each transition may change, apart from the result. */
export const changingColumns = [
  'state',
  'error',
  'started',
  'ruling',
  'decision',
  'decidedBy',
  'denialReason',
  'confirmationId',
  'epoch',
  'answerDigest',
  'endsAt',
  'rev',
  'deliveredAt',
  'endedAt',
] as const satisfies (keyof CallTable)[];

export const headColumns = [
  ...(['requestId', 'userId', 'machineId', 'tool', 'subject', 'door', 'via', 'createdAt'] as const),
  ...changingColumns,
] as const satisfies (keyof CallTable)[];

type HeadRow = Pick<Selectable<CallTable>, (typeof headColumns)[number]>;

const text = z.string();
const whole = z.number().int();
const jsonObject = z.record(z.string(), z.unknown());

/** What stands in the place of an error, where a part of the record cannot be read. */
export const unreadableError: CallError = {
  code: errorTable.unreadable.code,
  message: errorTable.unreadable.message,
};

/** A state that fits to whether the call has ended. */
const stateOf = (row: HeadRow): CallState => {
  const state = callState.parse(row.state);
  if (isOpenState(state) !== (row.endedAt === null))
    throw new Error('The state and the end time of the call contradict each other');
  return state;
};

const readColumns = (row: HeadRow, { read }: Columns): CallHead => ({
  ...row,
  userId: read('userId', () => text.parse(row.userId), ''),
  machineId: read('machineId', () => text.parse(row.machineId), ''),
  tool: read('tool', () => text.parse(row.tool), ''),
  subject: row.subject ?? '',
  door: read('door', () => door.parse(row.door), 'trpc'),
  via: row.via === null ? null : read('via', () => callVia.parse(JSON.parse(row.via ?? '')), null),
  state: read('state', () => stateOf(row), 'lost'),
  error: row.error === null ? null : read('error', () => callError.parse(JSON.parse(row.error ?? '')), null),
  started: row.started === null ? null : row.started === 1,
  ruling: read('ruling', () => callRuling.nullable().parse(row.ruling), null),
  decision: read('decision', () => decision.nullable().parse(row.decision), null),
  epoch: read('epoch', () => whole.nullable().parse(row.epoch), null),
  endsAt: read('endsAt', () => time.parse(row.endsAt), 0),
  createdAt: read('createdAt', () => time.parse(row.createdAt), 0),
  deliveredAt: read('deliveredAt', () => time.nullable().parse(row.deliveredAt), null),
  endedAt: read('endedAt', () => time.nullable().parse(row.endedAt), 0),
});

const marked = <Head extends CallHead>(head: Head, { unreadable }: Columns): Head =>
  unreadable.length === 0 ? head : { ...head, error: head.error ?? unreadableError };

/** The part of a record that a list shows; what cannot be read is left out and the error says so. */
export const readHead = (row: HeadRow): CallHead => {
  const columns = createColumns();
  return marked(readColumns(row, columns), columns);
};

/** The record, as `readHead` reads it, and the names of the columns that could not be read. */
export const readRow = (row: Selectable<CallTable>): { record: CallRecord; unreadable: string[] } => {
  const columns = createColumns();
  const record = {
    ...readColumns(row, columns),
    arguments: columns.read('arguments', () => jsonObject.parse(JSON.parse(row.arguments)), {}),
    result:
      row.result === null
        ? null
        : columns.read('result', () => toolResult.parse(JSON.parse(row.result ?? '')), null),
  };
  return { record: marked(record, columns), unreadable: columns.unreadable };
};
