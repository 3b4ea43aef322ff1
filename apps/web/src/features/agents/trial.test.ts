import { expect, it } from 'vitest';
import type { McpReply } from './mcp-post.ts';
import { tryConnection } from './trial.ts';

const ok = (result: Record<string, unknown>): McpReply => ({ kind: 'result', result });
const no = (http: number, message = 'said'): McpReply => ({ kind: 'refused', http, message });
const statusOf = (state: string) => ok({ structuredContent: { state, hostIdentifier: 'desk' } });
const toolsOf = (...names: string[]) => ok({ tools: names.map((name) => ({ name, inputSchema: {} })) });
const files = ok({ content: [{ type: 'text', text: '[]' }] });

const outcomes = async (replies: Record<string, McpReply>) => {
  const found: string[][] = [];
  const post = async (method: string, params: Record<string, unknown> = {}) =>
    replies[typeof params.name === 'string' ? params.name : method] ?? no(500, `not asked for ${method}`);
  for await (const { id, outcome } of tryConnection({ post, expires: 'Feb 20, 2026' }))
    found.push([id, outcome.kind, outcome.text]);
  return found;
};

const good = {
  'server/discover': ok({}),
  machine_status: statusOf('online'),
  'tools/list': toolsOf('machine_status', 'list_files'),
  list_files: files,
};
const passed = (...ids: string[]) => ids.map((id) => [id, 'passed']);

it.each<[string, Record<string, McpReply>, string[][]]>([
  ['all is well', good, passed('reached', 'signed-in', 'machine', 'tools', 'read')],
  ['no answer', { 'server/discover': no(0) }, [['reached', 'failed']]],
  ['a page of another site', { 'server/discover': no(403) }, [['reached', 'failed']]],
  ['a proxy that does not forward it', { 'server/discover': no(404) }, [['reached', 'failed']]],
  ['a proxy without a server behind it', { 'server/discover': no(502) }, [['reached', 'failed']]],
  [
    'a token that is not valid',
    { 'server/discover': no(401) },
    [...passed('reached'), ['signed-in', 'failed']],
  ],
  ['a token used too often', { 'server/discover': no(429) }, [...passed('reached'), ['signed-in', 'failed']]],
  [
    'no machine',
    { ...good, machine_status: statusOf('offline') },
    [...passed('reached', 'signed-in'), ['machine', 'failed']],
  ],
  [
    'a machine that was lost just now',
    { ...good, machine_status: statusOf('grace') },
    [...passed('reached', 'signed-in'), ['machine', 'failed']],
  ],
  [
    'an answer of another kind',
    { ...good, machine_status: ok({ hello: 1 }) },
    [...passed('reached', 'signed-in'), ['machine', 'failed']],
  ],
  [
    'no tools',
    { ...good, 'tools/list': toolsOf('machine_status', 'call_result') },
    [...passed('reached', 'signed-in', 'machine'), ['tools', 'failed']],
  ],
  [
    'no tool that reads',
    { ...good, 'tools/list': toolsOf('write_file') },
    [...passed('reached', 'signed-in', 'machine', 'tools'), ['read', 'skipped']],
  ],
  [
    'a read that is denied',
    { ...good, list_files: ok({ isError: true, content: [{ type: 'text', text: 'Access denied' }] }) },
    [...passed('reached', 'signed-in', 'machine', 'tools'), ['read', 'failed']],
  ],
])('%s', async (_, replies, expected) => {
  const found = await outcomes(replies);
  expect(found.map(([id, kind]) => [id, kind])).toEqual(expected);
});

it('says of each step that passed what was found', async () => {
  expect((await outcomes(good)).map(([, , text]) => text)).toEqual([
    'The server responds at /mcp.',
    'Valid until Feb 20, 2026',
    'desk',
    '1 tool published',
    'Test read succeeded',
  ]);
});
