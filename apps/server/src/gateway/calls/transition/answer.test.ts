import { createHash } from 'node:crypto';
import type { ResponseBody } from '@drawbridge/contracts/daemon-surface';
import { describe, expect, it } from 'vitest';
import { readAnswer } from './answer.ts';

const asks =
  'GATEWAY_CONFIRMATION_REQUIRED::{"toolGroup":"shell","resource":"ls","description":"Run ls","options":["allowOnce"]}';
const payload = { toolGroup: 'shell', resource: 'ls', description: 'Run ls', options: ['allowOnce'] };
const texts = (...lines: string[]) => lines.map((text) => ({ type: 'text' as const, text }));

const rest = (body: ResponseBody) => {
  const { digest, bytes, resultText, ...answer } = { resultText: null, ...readAnswer(body) };
  const isResult = answer.kind === 'end' && answer.result !== null;
  expect(resultText).toBe(isResult ? JSON.stringify(answer.result) : null);
  const text = JSON.stringify(body);
  expect([digest, bytes]).toEqual([createHash('sha256').update(text).digest('hex'), Buffer.byteLength(text)]);
  return answer;
};

describe('an answer', () => {
  it.each<[string, ResponseBody['result'], object]>([
    ['a result', { content: texts('é') }, { end: 'succeeded', started: true }],
    ['an error result', { content: texts('no'), isError: true }, { end: 'failed', started: null }],
    ['a file that holds the question', { content: texts(asks) }, { end: 'succeeded', started: true }],
    [
      'the question in a later block',
      { content: texts('x', asks), isError: true },
      { end: 'failed', started: null },
    ],
    [
      'the question behind other text',
      { content: texts(`x ${asks}`), isError: true },
      { end: 'failed', started: null },
    ],
    [
      'a question that does not parse',
      { content: texts(`${asks}x`), isError: true },
      { end: 'failed', started: null },
    ],
    [
      'denied',
      { content: [], isError: true, _meta: { 'drawbridge/outcome': 'denied', 'drawbridge/started': false } },
      { end: 'denied', started: false },
    ],
    [
      'cancelled',
      {
        content: [],
        isError: true,
        _meta: { 'drawbridge/outcome': 'cancelled', 'drawbridge/started': true },
      },
      { end: 'cancelled', started: true },
    ],
    [
      'lost',
      { content: [], isError: true, _meta: { 'drawbridge/outcome': 'lost' } },
      { end: 'lost', started: null },
    ],
  ])('%s', (_name, result, expected) => {
    expect(rest({ result })).toEqual({ kind: 'end', result, error: null, ...expected });
  });

  it.each<[string, string]>([
    ['a question', asks],
    ['a question wrapped once more', JSON.stringify({ error: asks })],
  ])('%s', (_name, text) => {
    expect(rest({ result: { content: texts(text), isError: true } })).toEqual({ kind: 'question', payload });
  });

  it('an error instead of a result', () => {
    const error = { code: 'TOOL_FAILED', message: 'broken' };
    expect(rest({ error: 'broken' })).toEqual({
      kind: 'end',
      end: 'failed',
      started: null,
      result: null,
      error,
    });
  });
});
