import { hasCode } from '@drawbridge/kit';

/** What `pg` says of connections and time-outs, without a code; and the code of Postgres for it. */
const uncoded: readonly (readonly [RegExp, string])[] = [
  [/^Query read timeout$/, '57014'],
  [/^(?:timeout exceeded when trying to connect|timeout expired)$/, '08001'],
  [/^(?:Connection terminated|Client (?:has encountered|was closed)|Cannot use a pool)/, '08006'],
];

const ofConnection = /^(?:08|57P|E[A-Z_]+$)/;
/** Such as ECONNREFUSED. */
const ofSystem = /^E[A-Z_]+$/;
const timedOut = '57014';

/** The same error, with a code of Postgres where it is about the connection. */
export const coded = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error;
  if ('code' in error)
    return ofSystem.test(String(error.code)) ? Object.assign(error, { code: '08006' }) : error;
  const [, code] = uncoded.find(([text]) => text.test(error.message)) ?? [];
  return code === undefined ? error : Object.assign(error, { code });
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Whether the connection of a statement that failed so must not be used again. */
export const breaksConnection = (error: unknown): boolean => {
  const code = codeOf(error);
  return code === '' || ofConnection.test(code) || (code === timedOut && !isOfPostgres(error));
};

/** Postgres has said it: the connection is as it was. */
const isOfPostgres = (error: unknown) => error instanceof Error && 'severity' in error;

/** A table has other columns than when the statement was prepared, such as by a newer server. */
export const isOutdatedPlan = (error: unknown): boolean =>
  hasCode(error, '0A000') && error instanceof Error && error.message.includes('cached plan');

/** Two transactions were in each other's way: the one that was undone may run again. */
export const isConflict = (error: unknown): boolean => ['40001', '40P01'].includes(codeOf(error));
