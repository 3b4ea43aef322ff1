import { TRPCError } from '@trpc/server';
import { expect, it } from 'vitest';
import { errorShape } from './error-shape.ts';

it('a Postgres that does not answer is trouble of the store: 503, and nothing of its cause', () => {
  const cause = Object.assign(new Error('timeout exceeded when trying to connect'), { code: '08001' });
  const { message, data } = errorShape(new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause }), 'calls.list');
  expect([message, data]).toEqual([
    'The server cannot write to its store',
    expect.objectContaining({ code: 'STORE_UNAVAILABLE', httpStatus: 503 }),
  ]);
});
