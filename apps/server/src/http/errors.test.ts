import { expect, it } from 'vitest';
import { errors } from '../errors.ts';
import { createLog, createScrubber } from '../program/log.ts';
import { logFailure } from './errors.ts';

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
