import type { SqliteDatabase } from 'kysely';
import { describe, expect, it } from 'vitest';
import { cacheStatements } from './statement-cache.ts';

const counting = () => {
  const prepared: string[] = [];
  const database: SqliteDatabase = {
    prepare: (text) => {
      prepared.push(text);
      return {
        reader: true,
        all: () => [],
        run: () => ({ changes: 0, lastInsertRowid: 0 }),
        iterate: () => [][Symbol.iterator](),
      };
    },
    close: () => {},
  };
  return { prepared, database: cacheStatements(database) };
};

describe('a statement', () => {
  it.each([
    ['select 1', 1],
    ['insert into calls values (?)', 1],
    ['begin', 1],
    ['pragma synchronous = normal', 2],
    ['create table calls (id text)', 2],
  ])('%s that comes twice is prepared %i times', (text, times) => {
    const { prepared, database } = counting();
    database.prepare(text);
    database.prepare(text);
    expect(prepared).toEqual(Array(times).fill(text));
  });

  it('is evicted by 200 newer ones', () => {
    const { prepared, database } = counting();
    for (let n = 0; n <= 200; n += 1) database.prepare(`select ${n}`);
    database.prepare('select 200');
    expect(prepared).toHaveLength(201);
    database.prepare('select 0');
    expect(prepared).toHaveLength(202);
  });
});
