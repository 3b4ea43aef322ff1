import type { SettingsDraft, VerifyTarget } from '@drawbridge/contracts/agent/settings';
import { expect, it } from 'vitest';
import { withAgent } from '../../../../test/agent.ts';
import { openStandIn, replyJson } from '../../../../test/http-stand-in.ts';
import { openMcpServer } from '../../../../test/mcp-server.ts';
import { n8nKey, openN8n } from '../../../../test/n8n.ts';

const openSearch = (hits: number) =>
  openStandIn((_request, reply) =>
    replyJson(reply, {
      results: Array.from({ length: hits }, (_, at) => ({ url: `https://h.example/${at}` })),
    }),
  );
/** The origins that name another place than `url`; each leads to the same listener where one is there. */
const otherOrigins = (url: string) => {
  const { port } = new URL(url);
  return [`http://localhost:${port}`, `http://127.0.0.2:${port}`, `https://127.0.0.1:${port}`];
};

it('US-15 a test tries what is typed, saves nothing, and sends a saved key to the server alone that it is for', async () => {
  const { panel, server, cookie } = await withAgent([]);
  const { settings } = panel.agent;
  const [saved, typed] = await Promise.all([openN8n(), openN8n()]);
  const [savedSearch, typedSearch] = await Promise.all([openSearch(1), openSearch(3)]);
  const [savedMcp, typedMcp] = await Promise.all([openMcpServer(), openMcpServer()]);
  await settings.change.mutate({
    searxngUrl: savedSearch.url,
    mcpServers: [{ name: 'saved', url: savedMcp.url }],
    n8nUrl: saved.url,
  });
  await settings.userKeys.change.mutate({ n8n: n8nKey });
  const before = await settings.get.query();
  const test = async (target: VerifyTarget, draft?: SettingsDraft) => {
    const { lines } = await settings.verify.mutate({ target, ...(draft && { draft }) });
    return lines.map(({ name, state, text }) => `${name} ${state}: ${text}`);
  };

  const dead = 'http://127.0.0.1:9';
  const mcpServers = [
    { name: 'typed', url: typedMcp.url },
    { name: 'dead', url: dead },
  ];
  const tried: [VerifyTarget, SettingsDraft | undefined, string[]][] = [
    ['search', undefined, ['SearXNG ok: Answered with 1 hits.']],
    ['search', { searxngUrl: typedSearch.url }, ['SearXNG ok: Answered with 3 hits.']],
    ['search', { searxngUrl: dead }, ['Search failed: SearXNG could not be reached.']],
    ['search', { searxngUrl: null }, [expect.stringContaining('No search service is configured')]],
    ['mcp', undefined, ['saved ok: Offers 1 tools.']],
    [
      'mcp',
      { mcpServers },
      ['typed ok: Offers 1 tools.', expect.stringMatching(/^dead failed: .* could not be reached/)],
    ],
    ['mcp', { mcpServers: null }, []],
    ['domain', undefined, expect.arrayContaining(['Connection ok: n8n accepts your key.'])],
    ['domain', { n8nUrl: null }, expect.arrayContaining([expect.stringMatching(/^Address failed/)])],
    ['domain', { n8nUrl: dead }, expect.arrayContaining(['Connection failed: n8n could not be reached.'])],
    // Another path of the same server gets the key.
    ['domain', { n8nUrl: `${saved.url}/n8n/` }, expect.arrayContaining(['Key ok: A key is set.'])],
  ];
  for (const [target, draft, lines] of tried)
    expect([target, draft, await test(target, draft)]).toEqual([target, draft, lines]);

  saved.asked.length = 0;
  const noKey = expect.stringMatching(/^Key failed: You have no API key for this address/);
  for (const n8nUrl of [typed.url, ...otherOrigins(saved.url), `http://127.0.0.1:9@localhost:1`])
    expect([n8nUrl, await test('domain', { n8nUrl })]).toEqual([n8nUrl, expect.arrayContaining([noKey])]);
  const all = [typed, saved, typedSearch, savedSearch, typedMcp].flatMap(({ asked }) => asked);
  expect(all.map(({ headers }) => JSON.stringify(headers)).filter((text) => text.includes(n8nKey))).toEqual(
    [],
  );
  expect(typed.asked.length).toBeGreaterThan(0);

  const path = '/api/v1/instance-ai/settings/verify/search';
  const body = { searxngUrl: typedSearch.url };
  const reply = await server.send(path, { method: 'POST', headers: { cookie }, body });
  expect(reply.json).toMatchObject({ lines: [{ text: 'Answered with 3 hits.' }] });
  expect(await settings.get.query()).toEqual(before);
});
