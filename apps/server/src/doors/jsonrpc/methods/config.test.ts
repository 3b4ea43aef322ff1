import { expect, it } from 'vitest';
import { newToken, openPerson, openRpc } from '../../../../test/rpc.ts';
import { online } from '../../../../test/rest.ts';
import { openTelegram } from '../../../../test/telegram.ts';

const canary = 'canary-canary-canary-canary-canary';

it('WS-12 config: shown without keys and paths, changed with a revision, and kept', async () => {
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

  const person = await openPerson(server, cookie);
  expect((await person.call('config.patch', { patch: { nodes: { location: true } } })).result).toEqual({
    success: true,
    persisted: true,
    revision: 4,
  });
  for (const [patch, revision, code] of [
    [{ nodes: { location: false } }, 3, 18],
    [{ nodes: { location: 'yes' } }, 4, -2],
    [{ opsControl: true }, 4, -2],
    [{ queue: { default: { cap: 101 } } }, 4, -2],
  ])
    expect((await person.call('config.patch', { patch, revision })).error).toMatchObject({ code });

  for (const name of ['config.patch', 'pairing.generate'])
    expect((await rpc.call(name, { patch: {} })).error).toMatchObject({ code: 15 });
  const { token: other } = await newToken(server, cookie, ['agent']);
  const agent = await openRpc(server, other);
  for (const name of ['config.get', 'config.reload'])
    expect((await agent.call(name)).error).toMatchObject({ code: 15, data: { missingScope: 'operate' } });
});

it('CH-15 pairing: a machine by a code that is then masked, a sender by one that its person sees', async () => {
  const telegram = await openTelegram();
  const { server, cookie, panel } = await online(telegram.environment);
  const rpc = await openPerson(server, cookie);
  const made = (await rpc.call('pairing.generate')).result;
  expect(made).toEqual({
    code: expect.stringMatching(/^gw_/),
    expiresAt: expect.stringMatching(/Z$/),
    command: expect.stringContaining(String(made?.code)),
  });
  await expect.poll(async () => (await panel.channels.list.query())[0]?.state).toBe('working');
  const sender = (await rpc.call('pairing.generate', { channel: 'telegram' })).result;
  expect(sender).toEqual({
    code: expect.stringMatching(/^[A-Z]{6}$/),
    expiresAt: expect.stringMatching(/Z$/),
    link: `https://t.me/stand_in_bot?start=${String(sender?.code)}`,
  });
  const { token } = await newToken(server, cookie, ['operate']);
  const createdAt = expect.any(String);
  for (const [reader, code] of [[rpc, sender?.code] as const, [await openRpc(server, token), '…'] as const])
    expect((await reader.call('pairing.list')).result).toEqual({
      codes: [
        { code: 'gw_…', channel: 'machine', createdAt, expiresAt: made?.expiresAt },
        { code, channel: 'telegram', createdAt, expiresAt: sender?.expiresAt },
      ],
    });
  await panel.channels.configure.mutate({ kind: 'telegram', isOn: false });
  const other = await openRpc(server, token);
  const byToken = await other.call('pairing.generate', { channel: 'telegram' });
  expect(byToken.error).toMatchObject({ code: 15 });
  for (const channel of ['telegram', 'gmail'])
    expect((await rpc.call('pairing.generate', { channel })).error).toMatchObject({ code: 17 });
  expect((await rpc.call('system.capabilities')).result).toMatchObject({ featureGates: { telegram: false } });
});
