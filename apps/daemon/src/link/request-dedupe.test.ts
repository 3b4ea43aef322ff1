import type { ToolRequest } from '@drawbridge/contracts/daemon-event';
import { describe, expect, it } from 'vitest';
import { missingFromJournal, type Journal } from '../journal/index.ts';
import { createRequestDedupe } from './request-dedupe.ts';

const request = (more: Partial<ToolRequest> = {}, tool = 'write_file'): ToolRequest => ({
  requestId: 'r1',
  toolCall: { name: tool, arguments: {} },
  ...more,
});

type Kept = ReturnType<Journal['get']>;

const setUp = (kept?: Kept, doubtful = false) =>
  createRequestDedupe({
    journal: { get: () => kept, isDoubtful: () => doubtful },
    changes: (tool) => tool === 'write_file',
  });

const gone = JSON.stringify({ error: 'This call was answered before; its result is no longer kept' });
const started: Kept = { kind: 'started', id: 'r1', tool: 'write_file', paths: [] };
const received: Kept = { kind: 'received', id: 'r1', tool: 'write_file' };

describe('what to do with a request of which only the journal knows', () => {
  it.each<[string, Kept, object]>([
    ['nothing', undefined, { type: 'run' }],
    ['received', received, { type: 'run' }],
    ['started', started, { type: 'ignore' }],
    ['done', { kind: 'done', id: 'r1', body: '"x"' }, { type: 'repeat', body: '"x"' }],
    ['taken', { kind: 'settled', body: '"x"' }, { type: 'repeat', body: '"x"' }],
    ['settled and evicted', { kind: 'settled', body: null }, { type: 'repeat', body: gone }],
  ])('%s', (_what, kept, verdict) => {
    expect(setUp(kept).take(request())).toEqual(verdict);
  });
});

describe('when the journal was damaged', () => {
  const lost = { type: 'repeat', body: missingFromJournal };
  it.each<[string, Kept, ToolRequest, object]>([
    ['a new call runs', undefined, request(), { type: 'run' }],
    ['a repeat is lost', undefined, request({ again: true }), lost],
    ['so is one that was received', received, request({ again: true }), lost],
    ['one that reads runs', undefined, request({ again: true }, 'read_file'), { type: 'run' }],
  ])('%s', (_what, kept, call, verdict) => {
    expect(setUp(kept, true).take(call)).toEqual(verdict);
  });
});

describe('the request dedupe stays within its bounds', () => {
  it('lets answers go that may be made again, the oldest first', () => {
    const dedupe = setUp();
    const body = 'x'.repeat(256 * 1024);
    const ids = ['a', 'b', 'c', 'd', 'e'];
    for (const requestId of ids) {
      dedupe.take(request({ requestId }));
      dedupe.answered(requestId, body, 'answered');
    }
    expect(ids.map((requestId) => dedupe.take(request({ requestId })).type)).toEqual([
      'run',
      'repeat',
      'repeat',
      'repeat',
      'repeat',
    ]);
  });

  it('never lets go of what runs', () => {
    const dedupe = setUp();
    dedupe.take(request());
    for (let count = 0; count < 10_001; count += 1) dedupe.cancelled(`c${count}`);
    expect(dedupe.take(request())).toEqual({ type: 'ignore' });
    expect(dedupe.take(request({ requestId: 'c0' }))).toEqual({ type: 'run' });
    expect(dedupe.take(request({ requestId: 'c10000' }))).toEqual({ type: 'ignore' });
  });
});

it.each<[string, Kept, boolean]>([
  ['unknown', undefined, true],
  ['received', received, true],
  ['started', started, false],
  ['done', { kind: 'done', id: 'r1', body: '"x"' }, false],
])('cancelled once: %s', (_what, kept, isFirst) => {
  const dedupe = setUp(kept);
  expect([dedupe.cancelled('r1'), dedupe.cancelled('r1')]).toEqual([isFirst, false]);
});
