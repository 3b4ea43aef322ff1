import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newToken, openPerson, openRpc } from '../../../../test/rpc.ts';
import { online } from '../../../../test/rest.ts';
import { invited } from '../../../../test/tenants.ts';

const companion = (nodeId = 'phone') => ({
  nodeId,
  role: 'companion',
  protocolVersion: 1,
  capabilities: ['ui.canvas', 'location', 'own.thing'],
});

const world = async () => {
  const { server, cookie, panel } = await online();
  const { token } = await newToken(server, cookie, ['node', 'operate']);
  const open = () => openRpc(server, token);
  return { server, cookie, panel, open, rpc: await open(), settings: server.app.settings };
};

describe('a companion', () => {
  it('registers, reports its status, and is gone with its socket', async () => {
    const { open, rpc } = await world();
    expect((await rpc.call('node.status.set', { platform: 'ios' })).error).toMatchObject({ code: -2 });
    expect((await rpc.call('node.register', companion())).result).toEqual({
      registered: true,
      node: { id: 'phone', role: 'companion' },
      protocol: { serverVersion: 1, clientVersion: 1, negotiatedVersion: 1 },
      capabilities: { declared: ['ui.canvas', 'location', 'own.thing'], enabled: ['ui.canvas'] },
    });
    const capabilities = await rpc.call('node.capabilities.get');
    expect(capabilities.result).toMatchObject({ capabilities: { enabled: ['ui.canvas'] } });
    expect((await rpc.call('system.capabilities')).result).toMatchObject({
      nodes: { enabled: true, locationEnabled: false, registered: true, role: 'companion', nodeId: 'phone' },
    });
    const status = { platform: 'ios', statusText: 'Idle', batteryPct: 64, powerSource: 'battery' };
    expect((await rpc.call('node.status.set', status)).result).toEqual({
      updated: true,
      node: { id: 'phone', role: 'companion' },
      status: { ...status, receivedAt: expect.any(Number) },
    });
    for (const bad of [{ batteryPct: 101 }, { statusText: 'x'.repeat(201) }, { platform: 'a\nb' }])
      expect((await rpc.call('node.status.set', bad)).error).toMatchObject({ code: -2 });
    rpc.socket.terminate();
    const other = await open();
    const nodes = async () => (await other.call('system.nodes')).result?.nodes;
    await expect.poll(nodes).toMatchObject([
      { role: 'daemon', connected: true },
      { id: 'phone', connected: false, status: { platform: 'ios' } },
    ]);
  });

  it('is refused with another role or protocol, a bad id, and without the scope', async () => {
    const { server, cookie, rpc } = await world();
    const wrong = [
      [{ role: 'daemon' }, 'companion'],
      [{ protocolVersion: 2 }, 'version 1'],
      [{ nodeId: '' }, ''],
      [{ nodeId: 'a\u202eb' }, ''],
      [{ capabilities: Array.from({ length: 65 }, (_, at) => `c${at}`) }, ''],
    ] as const;
    for (const [more, sentence] of wrong)
      expect((await rpc.call('node.register', { ...companion(), ...more })).error).toMatchObject({
        code: -2,
        message: expect.stringContaining(sentence),
      });
    const { token } = await newToken(server, cookie, ['agent']);
    const { error } = await (await openRpc(server, token)).call('node.register', companion());
    expect(error).toMatchObject({ code: 15, data: { missingScope: 'node' } });
  });

  it('is replaced by a newer one with its id, which keeps its reports', async () => {
    const { open, rpc } = await world();
    await rpc.call('node.register', companion());
    await rpc.call('node.status.set', { platform: 'ios' });
    const newer = await open();
    expect((await newer.call('node.register', companion())).result).toMatchObject({ registered: true });
    expect(await rpc.until(({ event }) => event === 'node_replaced')).toMatchObject({
      id: null,
      data: { nodeId: 'phone' },
    });
    expect((await rpc.closed).code).toBe(1008);
    expect((await newer.call('system.nodes')).result).toMatchObject({
      nodes: [{ role: 'daemon' }, { id: 'phone', connected: true, status: { platform: 'ios' } }],
    });
  });
});

describe('NB-06b: a second token with the nodeId of a companion', () => {
  const place = { latitude: 37.7749, longitude: -122.4194 };
  const push = { provider: 'fcm', token: 'fcm_canary_abcdefghijklmnop' };
  const named = (rpc: Awaited<ReturnType<typeof openRpc>>, id: string) =>
    rpc.call('system.nodes').then(({ result }) => {
      // The contract of the method pins the shape.
      const { nodes } = result as { nodes: { id: string; connected: boolean; push?: unknown }[] };
      return nodes.filter((node) => node.id === id);
    });

  it.each<[string, boolean, 'token' | 'person']>([
    ['of the same user, while it is connected', true, 'token'],
    ['of the same user, while it is away', false, 'token'],
    ['a signed-in person of the same user', true, 'person'],
  ])('%s has one of its own: it takes nothing over and reads nothing', async (_, isOpen, by) => {
    const { server, cookie, rpc, open, settings } = await world();
    await settings.patch({ nodes: { location: true, push: true } });
    await rpc.call('node.register', companion());
    await rpc.call('node.location.set', place);
    await rpc.call('node.status.set', { platform: 'ios' });
    await rpc.call('node.push_token.set', push);
    const reader = await open();
    if (!isOpen) rpc.socket.terminate();
    await expect.poll(() => named(reader, 'phone')).toMatchObject([{ connected: isOpen }]);

    const { token } = await newToken(server, cookie, ['node']);
    const other = by === 'token' ? await openRpc(server, token) : await openPerson(server, cookie);
    expect((await other.call('node.register', companion())).result).toMatchObject({ registered: true });
    expect((await other.call('node.location.get')).result).toMatchObject({ location: null });
    const set = await other.call('node.push_token.set', { ...push, token: 'another_abcdefghijwxyz' });
    expect(set.result).toMatchObject({ updated: true });
    const seen = await named(reader, 'phone');
    expect(seen).toHaveLength(2);
    expect(seen).toContainEqual(
      expect.objectContaining({
        connected: isOpen,
        status: expect.objectContaining({ platform: 'ios' }),
        location: expect.objectContaining(place),
        push: { provider: 'fcm', tokenPreview: '…mnop' },
      }),
    );
    if (isOpen) expect((await rpc.call('node.location.get')).result).toMatchObject({ location: place });
  });
});

describe('what the owner has turned off', () => {
  it('location: 17 until it is on, then what was set, to its person alone', async () => {
    const { server, cookie, panel, rpc, settings } = await world();
    await rpc.call('node.register', companion());
    const place = {
      latitude: 37.7749,
      longitude: -122.4194,
      accuracyMeters: 12.4,
      source: 'gps',
      capturedAt: 1,
    };
    for (const name of ['node.location.set', 'node.location.get'])
      expect((await rpc.call(name, place)).error).toMatchObject({
        code: 17,
        data: { code: 'NOT_AVAILABLE' },
      });
    await settings.patch({ nodes: { location: true } });
    expect((await rpc.call('node.location.set', { ...place, latitude: 91 })).error).toMatchObject({
      code: -2,
    });
    const set = await rpc.call('node.location.set', place);
    expect(set.result).toEqual({
      updated: true,
      node: { id: 'phone', role: 'companion' },
      location: { ...place, receivedAt: expect.any(Number) },
    });
    const { location } = set.result ?? {};
    expect((await rpc.call('node.location.get')).result).toMatchObject({ location });
    const { token: other } = await newToken(server, cookie, ['node', 'agent']);
    const agent = await openRpc(server, other);
    expect(JSON.stringify((await agent.call('system.nodes')).result)).not.toContain('37.7749');
    expect((await agent.call('system.location')).error).toMatchObject({ code: 15 });

    const node = { id: 'phone', role: 'companion' };
    // `rpc` has a token that operates the server.
    for (const reader of [rpc, await openPerson(server, cookie)]) {
      expect((await reader.call('system.location')).result).toEqual({ locations: [{ node, location }] });
      expect((await reader.call('system.nodes')).result).toMatchObject({
        nodes: [{ role: 'daemon' }, { id: 'phone', location }],
      });
    }
    const guest = await openPerson(server, await invited(server, panel));
    expect((await guest.call('system.location')).result).toEqual({ locations: [] });
    expect((await guest.call('system.nodes')).result).toEqual({ nodes: [] });
  });

  it('push tokens: stored sealed, and shown nowhere', async () => {
    const { server, rpc, settings } = await world();
    await rpc.call('node.register', companion());
    const push = { provider: 'fcm', token: 'fcm_canary_abcdefghijklmnop' };
    expect((await rpc.call('node.push_token.set', push)).error).toMatchObject({ code: 17 });
    await settings.patch({ nodes: { push: true } });
    for (const bad of [
      { ...push, provider: 'web' },
      { ...push, token: 'short' },
    ])
      expect((await rpc.call('node.push_token.set', bad)).error).toMatchObject({ code: -2 });
    expect((await rpc.call('node.push_token.set', push)).result).toEqual({
      updated: true,
      node: { id: 'phone', role: 'companion' },
      push: { provider: 'fcm', tokenPreview: '…mnop', deliverable: false },
    });
    expect((await rpc.call('system.nodes')).result).toMatchObject({
      nodes: [{ role: 'daemon' }, { push: { provider: 'fcm', tokenPreview: '…mnop' } }],
    });
    await rpc.call('config.get');
    await settings.patch({ nodes: { enabled: false } });
    expect((await rpc.call('node.register', companion())).error).toMatchObject({ code: 17 });
    const said = JSON.stringify(rpc.frames) + server.log.join('');
    expect(said).not.toContain('canary');
    for (const file of ['drawbridge.db', 'drawbridge.db-wal'])
      expect(readFileSync(join(server.dataDir, file)).includes('canary')).toBe(false);
  });
});
