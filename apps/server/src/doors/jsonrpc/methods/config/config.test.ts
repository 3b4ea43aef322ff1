import { expect, it } from 'vitest';
import { newToken, openRpc } from '../../../../../test/rpc.ts';
import { online } from '../../../../../test/rest.ts';

const canary = 'canary-canary-canary-canary-canary';

it('config: shown without keys and paths, changed with a revision, and kept', async () => {
  const { server, cookie } = await online({
    GATEWAY_API_KEY: canary,
    AGENT_MODEL: 'anthropic/x',
    AGENT_MODEL_API_KEY: canary,
    OPS_COMPOSE_FILE: '/canary/compose.yaml',
  });
  const { token } = await newToken(server, cookie, ['operate']);
  const rpc = await openRpc(server, token);
  const shown = (await rpc.call('config.get')).result;
  expect(shown).toMatchObject({
    models: { default: { anthropic: { model: 'anthropic/x', apiKey: '***' } } },
    server: { gatewayApiKey: '***', hasComposeFile: true, opsControl: false },
    queue: { default: { mode: 'followup', overflow: 'drop_new', cap: 20, debounceMs: 500 }, channels: {} },
    nodes: { enabled: true, location: false, push: false },
    revision: 0,
  });
  expect(JSON.stringify(rpc.frames)).not.toContain('canary');

  const { settings } = server.app;
  await settings.patch({ queue: { default: { cap: 3 }, channels: { panel: { mode: 'steer' } } } }, 0);
  await expect(settings.patch({ nodes: { push: true } }, 0)).rejects.toMatchObject({ code: 'CONFLICT' });
  await settings.patch({ nodes: { push: true } });
  expect((await rpc.call('config.get')).result).toMatchObject({
    queue: { default: { mode: 'followup', cap: 3 }, channels: { panel: { mode: 'steer' } } },
    nodes: { push: true },
    revision: 2,
  });
  await settings.patch({ queue: { channels: { panel: null } } });
  expect((await settings.get()).values.queue.channels).toEqual({});
  expect((await rpc.call('config.reload')).result).toEqual({
    success: true,
    changed: [],
    restart: expect.arrayContaining(['OPS_CONTROL']),
  });

  for (const name of ['config.patch', 'pairing.generate', 'pairing.list'])
    expect((await rpc.call(name, { patch: {} })).error).toMatchObject({ code: 15 });
  const { token: other } = await newToken(server, cookie, ['agent']);
  const agent = await openRpc(server, other);
  for (const name of ['config.get', 'config.reload'])
    expect((await agent.call(name)).error).toMatchObject({ code: 15, data: { missingScope: 'operate' } });
});
