import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { recipes, type Connection, type Step } from './recipes.ts';

const to: Connection = { url: 'https://bridge.example.org', token: `dbt_${'a'.repeat(32)}` };
const stepsOf = (id: string, connection = to): Step[] =>
  recipes.find((recipe) => recipe.id === id)?.steps(connection) ?? [];
const textOf = (id: string, at = 0, connection = to): string => {
  const step = stepsOf(id, connection)[at];
  return step?.kind === 'text' ? step.text : '';
};

/** The words that a POSIX shell makes of a line, without running it. */
const wordsOf = (line: string): string[] =>
  execFileSync('sh', ['-c', `for word in ${line}; do printf '%s\\0' "$word"; done`])
    .toString()
    .split('\0')
    .slice(0, -1);

const url = 'https://bridge.example.org/mcp';
const header = `Authorization: Bearer ${to.token}`;

it.each([
  ['claude-code', 0, ['claude', 'mcp', 'add', '--transport', 'http', 'drawbridge', url, '--header', header]],
  ['codex', 1, ['export', `DRAWBRIDGE_TOKEN=${to.token}`]],
  ['curl', 0, ['curl', '-H', header, 'https://bridge.example.org/api/v1/tools']],
  [
    'curl',
    1,
    [
      'curl',
      '-H',
      header,
      '-H',
      'Content-Type: application/json',
      '-d',
      '{"name":"list_files","arguments":{"dirPath":"."}}',
      'https://bridge.example.org/api/v1/calls',
    ],
  ],
])('%s: line %i', (id, at, words) => expect(wordsOf(textOf(id, at))).toEqual(words));

it.each([
  [
    'claude-desktop',
    {
      mcpServers: {
        drawbridge: {
          command: 'npx',
          args: ['-y', 'mcp-remote', url, '--header', 'Authorization:${AUTH_HEADER}'],
          env: { AUTH_HEADER: `Bearer ${to.token}` },
        },
      },
    },
  ],
  ['cursor', { mcpServers: { drawbridge: { url, headers: { Authorization: `Bearer ${to.token}` } } } }],
  [
    'vs-code',
    {
      inputs: [
        {
          type: 'promptString',
          id: 'drawbridge-token',
          description: 'Drawbridge access token',
          password: true,
        },
      ],
      servers: {
        drawbridge: { type: 'http', url, headers: { Authorization: 'Bearer ${input:drawbridge-token}' } },
      },
    },
  ],
  [
    'json',
    { mcpServers: { drawbridge: { type: 'http', url, headers: { Authorization: `Bearer ${to.token}` } } } },
  ],
])('%s: JSON', (id, value) => expect(JSON.parse(textOf(id))).toEqual(value));

it.each([
  ['claude-ai', 'Remote MCP server URL'],
  ['chatgpt', 'MCP Server URL'],
])('%s: by its address alone', (id, label) => {
  const [step] = stepsOf(id);
  expect(step?.kind === 'fields' && step.fields.find((field) => field.label === label)?.value).toBe(url);
  expect(JSON.stringify(step)).not.toContain(to.token);
});

it('codex: TOML', () => {
  expect(textOf('codex')).toBe(
    [`[mcp_servers.drawbridge]`, `url = "${url}"`, 'bearer_token_env_var = "DRAWBRIDGE_TOKEN"'].join('\n'),
  );
});

it('n8n: the fields of its node', () => {
  expect(stepsOf('n8n')).toEqual([
    {
      kind: 'fields',
      where: 'In an MCP Client Tool node, below an AI Agent',
      fields: [
        { label: 'Endpoint', value: url },
        { label: 'Server Transport', value: 'HTTP Streamable', isPicked: true },
        { label: 'Authentication', value: 'Bearer Auth', isPicked: true },
        { label: 'Bearer Token of a new credential', value: to.token },
        { label: 'Tools to Include', value: 'All', isPicked: true },
      ],
    },
  ]);
});

it.each([
  ['http://192.168.1.5:5820', true],
  ['http://localhost:5820', false],
  ['http://[::1]:5820', false],
  ['https://bridge.example.org', false],
])('mcp-remote to %s: plain http is allowed by hand: %s', (address, isAllowed) => {
  expect(textOf('claude-desktop', 0, { ...to, url: address }).includes('--allow-http')).toBe(isAllowed);
});

it.each(recipes.map(({ id }) => [id]))('%s: a hostile address or token stays one word, one value', (id) => {
  const hostile = { url: `https://x'"$(id)\`;\n`, token: `t'"$(id)\`;\n` };
  for (const step of stepsOf(id, hostile)) {
    if (step.kind === 'fields') continue;
    if (step.text.startsWith('{')) expect(() => JSON.parse(step.text)).not.toThrow();
    else if (/^(claude|curl|export) /.test(step.text))
      expect(wordsOf(step.text).some((word) => word.includes(`'"$(id)\`;\n`))).toBe(true);
  }
});
