import type { FastifyReply, FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { answerNext, online } from '../../../../test/rest.ts';
import type { Gateway } from '../../../gateway/index.ts';
import { createQuota } from '../../../http/index.ts';
import { csvCell, exportCalls } from './export-calls.ts';

it.each([
  ['plain', '"plain"'],
  ['with "quotes", and commas', '"with ""quotes"", and commas"'],
  ['=1+1', `"'=1+1"`],
  ['+1', `"'+1"`],
  ['-1', `"'-1"`],
  ['@SUM(A1)', `"'@SUM(A1)"`],
  ['  =1+1', `"'  =1+1"`],
  ['\t=1', `"'\t=1"`],
  ['\r\n=1', `"'\r\n=1"`],
  ['＝1', `"'＝1"`],
  ['a=1', '"a=1"'],
  ['', '""'],
])('a cell of %j is no formula', (text, cell) => expect(csvCell(text)).toBe(cell));

describe('the export', () => {
  const world = async () => {
    const { server, cookie, panel, daemon, script } = await online();
    const names = ['=cmd|calc!A0', 'notes.txt'];
    for (const filePath of names) {
      const running = script.run('read_file', { filePath });
      await answerNext(daemon);
      await running;
    }
    const get = (query: string, headers: Record<string, string> = { cookie }) =>
      server.send(`/trpc/export/calls?${query}`, { headers });
    return { get, panel, script };
  };

  it('has each call of the filter, newest first, as CSV and as JSON', async () => {
    const { get, panel } = await world();
    const csv = await get('format=csv');
    expect([csv.status, csv.headers['content-type'], csv.headers['content-disposition']]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
      'attachment; filename="drawbridge-calls.csv"',
    ]);
    const [head, ...rows] = csv.text.trimEnd().split('\r\n');
    expect(head).toMatch(/^"createdAt","tool","subject","state","machineId","machine"/);
    const names = (await panel.machines.list.query()).map(({ name }) => `"${name}"`);
    expect(rows.map((row) => row.split(',')[5])).toEqual([...names, ...names]);
    expect(rows.map((row) => row.split(',').slice(1, 4).join())).toEqual([
      '"read_file","notes.txt","succeeded"',
      `"read_file","'=cmd|calc!A0","succeeded"`,
    ]);
    const json = await get('format=json&q=notes');
    const { calls } = await panel.calls.list.query({ q: 'notes' });
    expect(JSON.parse(json.text)).toEqual(calls);
    expect(calls.map(({ subject }) => subject)).toEqual(['notes.txt']);
  });

  it('refuses a stranger, a token, and a query that it does not know', async () => {
    const { get, script } = await world();
    expect((await get('format=csv', {})).status).toBe(401);
    expect((await get('format=csv', { authorization: `Bearer ${script.token}` })).status).toBe(401);
    for (const query of [
      '',
      'format=xml',
      'format=csv&state=odd',
      'format=csv&from=yesterday',
      'format=csv&by=x',
    ])
      expect((await get(query)).json).toMatchObject({ code: 'BAD_REQUEST' });
  });

  it('beyond two of one person is refused', () => {
    const exports = createQuota(2);
    exports.acquire('ann');
    exports.acquire('ann');
    const request = { query: { format: 'csv' } } as FastifyRequest;
    const gateway = { calls: {} } as Gateway;
    const refused = { code: 'TOO_MANY_REQUESTS' };
    expect(() => exportCalls({ gateway, exports }, 'ann', { request, reply: {} as FastifyReply })).toThrow(
      expect.objectContaining(refused),
    );
  });
});
