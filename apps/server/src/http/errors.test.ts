import { expect, it } from 'vitest';
import { errors } from '../errors.ts';
import { createLog, createScrubber } from '../program/log.ts';
import { logFailure, toCoded } from './errors.ts';

it('logs a state that has a code as one line at info, trouble with its cause, and a fault with its stack', () => {
  const lines: unknown[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  const log = createLog({ level: 'info', scrubber: createScrubber([]), write });
  logFailure(log, errors.notConnected({ message: 'The machine vm is not connected' }));
  logFailure(log, errors.storeUnavailable({ cause: new Error('database or disk is full') }));
  logFailure(log, new Error('a fault'));
  const time = expect.any(Number);
  expect(lines).toEqual([
    { level: 30, time, code: errors.notConnected().code, msg: 'The machine vm is not connected' },
    {
      level: 50,
      time,
      code: 'STORE_UNAVAILABLE',
      cause: 'database or disk is full',
      msg: 'The server cannot write to its store',
    },
    {
      level: 50,
      time,
      err: expect.objectContaining({ stack: expect.any(String) }),
      msg: 'unexpected internal error',
    },
  ]);
});

it('a Postgres that does not answer is trouble of the store, and not a fault', () => {
  const codeOf = (code: string) => toCoded(Object.assign(new Error('away'), { code })).code;
  expect(['08001', '08006', '57014', '57P03', '53300', '55P03', '40P01', 'SQLITE_FULL'].map(codeOf)).toEqual(
    Array<string>(8).fill('STORE_UNAVAILABLE'),
  );
  // Of a client that has left, and of a statement that is wrong.
  expect(['ECONNRESET', '23505', '42P01'].map(codeOf)).toEqual(Array<string>(3).fill('INTERNAL'));
});
