import { createHash } from 'node:crypto';
import { canonical, jsonOf } from '@drawbridge/kit';

/** The types of columns on Postgres that hold something else there than on SQLite. */
export type ColumnType = 'boolean' | 'time' | 'json' | 'other';

export const columnType = (name: string): ColumnType => {
  if (name === 'bool') return 'boolean';
  if (name === 'timestamptz') return 'time';
  return name === 'jsonb' ? 'json' : 'other';
};

/** What a column of Postgres takes for what SQLite holds. */
export const converted = (value: unknown, type: ColumnType): unknown => {
  if (value === null) return null;
  switch (type) {
    case 'boolean':
      return Boolean(value);
    case 'time':
      return new Date(value as string | number).toISOString();
    case 'json':
      // The account library leaves a column without a value empty there.
      return jsonOf(String(value)) === null ? null : value;
    case 'other':
      return value;
    default:
      return type satisfies never;
  }
};

/** One text for equal values, whichever store holds them. */
const textOf = (value: unknown, type: ColumnType): unknown => {
  if (value === null) return null;
  switch (type) {
    case 'boolean':
      return Boolean(value);
    case 'time':
      return new Date(value as string | number | Date).getTime();
    case 'json': {
      const read = typeof value === 'string' ? jsonOf(value) : value;
      return read === null ? null : canonical(read);
    }
    case 'other':
      return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value;
    default:
      return type satisfies never;
  }
};

const digestBytes = 32;

/** Counts rows and gives them one digest, in whatever order they come. */
export const createRowDigest = (types: readonly ColumnType[]) => {
  const sum = Buffer.alloc(digestBytes);
  let rows = 0;
  return {
    /** The values of a row in the order of the columns. */
    add: (values: readonly unknown[]) => {
      const text = JSON.stringify(values.map((value, at) => textOf(value, types[at] ?? 'other')));
      const digest = createHash('sha256').update(text).digest();
      for (let at = 0; at < digestBytes; at += 1) sum[at] = (sum[at] ?? 0) ^ (digest[at] ?? 0);
      rows += 1;
    },
    result: () => ({ rows, digest: sum.toString('hex') }),
  };
};
