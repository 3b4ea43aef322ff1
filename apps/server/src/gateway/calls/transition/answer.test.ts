import { createHash } from 'node:crypto';
import type { CallRuling } from '@drawbridge/contracts/calls';
import type { ResponseBody } from '@drawbridge/contracts/daemon-surface';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { describe, expect, it } from 'vitest';
import { readAnswer } from './answer.ts';

const asks =
  'GATEWAY_CONFIRMATION_REQUIRED::{"toolGroup":"shell","resource":"ls","description":"Run ls","options":["allowOnce"]}';
const payload = { toolGroup: 'shell', resource: 'ls', description: 'Run ls', options: ['allowOnce'] };
const texts = (...lines: string[]) => lines.map((text) => ({ type: 'text' as const, text }));

const rest = (body: ResponseBody) => {
  const { digest, bytes, resultText, ...answer } = { resultText: null, ...readAnswer(body, ['rulings']) };
  const isResult = answer.kind === 'end' && answer.result !== null;
  expect(resultText).toBe(isResult ? JSON.stringify(answer.result) : null);
  const text = JSON.stringify(body);
  expect([digest, bytes]).toEqual([createHash('sha256').update(text).digest('hex'), Buffer.byteLength(text)]);
  return answer;
};

describe('an answer', () => {
  it.each<[string, ResponseBody['result'], object]>([
    ['a result', { content: texts('é') }, { end: 'succeeded', started: true, ruling: 'mode' }],
    [
      'an error result',
      { content: texts('no'), isError: true },
      { end: 'failed', started: null, ruling: 'mode' },
    ],
    [
      'a file that holds the question',
      { content: texts(asks) },
      { end: 'succeeded', started: true, ruling: 'mode' },
    ],
    [
      'the question in a later block',
      { content: texts('x', asks), isError: true },
      { end: 'failed', started: null, ruling: 'mode' },
    ],
    [
      'the question behind other text',
      { content: texts(`x ${asks}`), isError: true },
      { end: 'failed', started: null, ruling: 'mode' },
    ],
    [
      'a question that does not parse',
      { content: texts(`${asks}x`), isError: true },
      { end: 'failed', started: null, ruling: 'mode' },
    ],
    [
      'denied',
      { content: [], isError: true, _meta: { 'drawbridge/outcome': 'denied', 'drawbridge/started': false } },
      { end: 'denied', started: false, ruling: null },
    ],
    [
      'cancelled',
      {
        content: [],
        isError: true,
        _meta: { 'drawbridge/outcome': 'cancelled', 'drawbridge/started': true },
      },
      { end: 'cancelled', started: true, ruling: null },
    ],
    [
      'lost',
      { content: [], isError: true, _meta: { 'drawbridge/outcome': 'lost' } },
      { end: 'lost', started: null, ruling: null },
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
      ruling: null,
      result: null,
      error,
    });
  });
});

describe('what decided a call', () => {
  const rule = { label: 'change a.txt', covers: 'c1' };
  const refused = { 'drawbridge/outcome': 'denied', 'drawbridge/started': false } as const;
  it.each<[string, ToolResult['_meta'], boolean, CallRuling | null]>([
    ['a rule that let it run', { 'drawbridge/allowed': { rules: [rule] } }, false, 'rule'],
    ['the modes, with a preview', { 'drawbridge/allowed': { rules: [] } }, false, 'mode'],
    ['the modes, without a word', undefined, false, 'mode'],
    ['the modes, and the tool failed', undefined, true, 'mode'],
    ['a rule, and the tool failed', { 'drawbridge/ruling': 'rule' }, true, 'rule'],
    ['a rule that refuses', { ...refused, 'drawbridge/ruling': 'rule' }, true, 'rule'],
    ['a mode that refuses', { ...refused, 'drawbridge/ruling': 'mode' }, true, 'mode'],
    ['something else that refuses', refused, true, null],
    ['nothing: it did not start', { 'drawbridge/started': false }, true, null],
    ['not known: it is lost', { 'drawbridge/outcome': 'lost' }, true, null],
  ])('is %s', (_, _meta, isError, expected) => {
    const body = { result: { content: [], isError, ...(_meta && { _meta }) } };
    const of = (features: string[]) => readAnswer(body, features);
    expect([of(['rulings']), of([])]).toMatchObject([{ ruling: expected }, { ruling: null }]);
  });
});
