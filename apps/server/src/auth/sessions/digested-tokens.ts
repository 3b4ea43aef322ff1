import type { DBAdapter, DBTransactionAdapter, Where } from 'better-auth/adapters';
import { sessionKeyOf } from './session-key.ts';

type Row = Record<string, unknown>;

/** The keys of one operation, with the tokens that they stand for. */
const createKeys = () => {
  const tokens = new Map<unknown, string>();
  const keyOf = (token: unknown): unknown => {
    if (typeof token !== 'string') return token;
    const key = sessionKeyOf(token);
    tokens.set(key, token);
    return key;
  };
  return {
    where: (where: Where[] = []): Where[] =>
      where.map((one) => {
        if (one.field !== 'token') return one;
        const value = Array.isArray(one.value) ? one.value.map(keyOf) : keyOf(one.value);
        return { ...one, value: value as Where['value'] };
      }),
    values: <Values extends Row>(values: Values): Values =>
      'token' in values ? { ...values, token: keyOf(values.token) } : values,
    /** The row with the token that came; a key is never given out as a token, not even as one of no use. */
    row: <T>(row: T): T =>
      typeof row === 'object' && row !== null && 'token' in row
        ? { ...row, token: tokens.get(row.token) ?? '' }
        : row,
  };
};

const wrap = (adapter: DBTransactionAdapter): DBTransactionAdapter => {
  const digested =
    <Input extends { model: string; where?: Where[] }, Output>(
      run: (input: Input) => Promise<Output>,
      values: readonly ('data' | 'update' | 'set')[] = [],
    ) =>
    async (input: Input): Promise<Output> => {
      if (input.model !== 'session') return run(input);
      const keys = createKeys();
      const given: Input & Partial<Record<'data' | 'update' | 'set', Row>> = { ...input };
      if (given.where) given.where = keys.where(given.where);
      for (const name of values) if (given[name]) Object.assign(given, { [name]: keys.values(given[name]) });
      const output = await run(given);
      return (Array.isArray(output) ? output.map(keys.row) : keys.row(output)) as Output;
    };
  return {
    ...adapter,
    create: digested(adapter.create, ['data']) as DBAdapter['create'],
    findOne: digested(adapter.findOne) as DBAdapter['findOne'],
    findMany: digested(adapter.findMany) as DBAdapter['findMany'],
    count: digested(adapter.count),
    update: digested(adapter.update, ['update']) as DBAdapter['update'],
    updateMany: digested(adapter.updateMany, ['update']),
    delete: digested(adapter.delete),
    deleteMany: digested(adapter.deleteMany),
    consumeOne: digested(adapter.consumeOne) as DBAdapter['consumeOne'],
    incrementOne: digested(adapter.incrementOne, ['set']) as DBAdapter['incrementOne'],
  };
};

/** The adapter with the tokens of sessions kept as digests: a reader of the store has no session. */
export const digestTokens = (adapter: DBAdapter): DBAdapter => ({
  ...adapter,
  ...wrap(adapter),
  transaction: (run) => adapter.transaction((trx) => run(wrap(trx))),
});
