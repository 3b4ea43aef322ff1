import { APICallError } from '@ai-sdk/provider';
import { expect, it } from 'vitest';
import { toModelError } from './model-error.ts';

const key = 'a-key-of-no-known-form';
const where = {
  choice: { id: 'stub', provider: 'compatible', model: 'stub', url: 'http://127.0.0.1:1', key },
  now: Date.UTC(2026, 0, 1),
  isOpen: true,
} as const;

it.each([
  [{ type: 'overloaded_error', message: 'Overloaded' }, 'overloaded'],
  [{ type: 'rate_limit_error', message: 'slow down' }, 'rate'],
  [{ type: 'authentication_error', message: 'no' }, 'key'],
  [{ message: 'prompt is too long: 210000 tokens > 200000 maximum' }, 'context'],
  [{ code: 'server_error', message: 'The server had an error' }, 'overloaded'],
  [{ type: 'invalid_request_error', message: 'no' }, 'request'],
  [{ message: `something with ${key}` }, 'cut'],
  ['only a text', 'cut'],
  [new TypeError('terminated'), 'cut'],
])('the error %j of a stream is %s', (error, kind) => {
  const read = toModelError(error, where);
  expect(read).toMatchObject({ name: 'ModelError', kind });
  expect(read.message).not.toContain(key);
});

it.each([
  ['3', 3_000],
  ['0.5', 500],
  ['Thu, 01 Jan 2026 00:00:09 GMT', 9_000],
  ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
  ['99999999', 600_000],
  ['soon', undefined],
])('Retry-After %s is %s ms', (text, ms) => {
  const error = new APICallError({
    message: 'busy',
    url: 'http://127.0.0.1:1',
    requestBodyValues: {},
    statusCode: 429,
    responseHeaders: { 'retry-after': text },
  });
  expect(toModelError(error, where).retryAfterMs).toBe(ms);
});
