import { rmSync } from 'node:fs';
import type { SettingsDraft } from '@drawbridge/contracts/agent/settings';
import { createFakeClock } from '@drawbridge/kit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { configFrom } from '../../config.ts';
import { newGatewayFolder } from '../../../test/new-store.ts';
import { openTestStore } from '../../../test/store-place.ts';
import { createSettings, createSettingsStore } from './index.ts';
import { createSealer } from '../../secrets/index.ts';

const open = async (variables: Record<string, string> = {}) => {
  const dataDir = await newGatewayFolder();
  const { close, ...store } = await openTestStore(dataDir);
  const { db, cacheRows } = store;
  onTestFinished(async () => {
    await close();
    rmSync(dataDir, { recursive: true });
  });
  const hidden = new Set<string>();
  const start = (secret = 'the secret of the server', environment = variables) =>
    createSettings({
      store: createSettingsStore(store),
      cacheRows,
      sealer: createSealer(secret),
      environment: configFrom(environment),
      clock: createFakeClock(),
      workspaces: { open: () => Promise.resolve({ problem: null }), retry: () => {} },
      hide: (key) => void hidden.add(key),
    });
  const rows = () => db.selectFrom('agentSettings').selectAll().execute();
  return { settings: start(), start, rows, hidden };
};

const environment = {
  AGENT_MODEL: 'stub',
  AGENT_MODEL_URL: 'http://127.0.0.1:1/v1',
  AGENT_MODEL_API_KEY: 'key-of-the-environment',
  ANTHROPIC_API_KEY: 'key-of-anthropic-env',
};

describe('the settings of the agent', () => {
  it('are off without a model', async () => {
    const { settings } = await open();
    expect(await settings.config()).toMatchObject({
      off: 'model',
      tokensPerDay: 10_000_000,
      costMicroPerDay: null,
    });
    expect(await settings.get()).toMatchObject({ model: null, modelKey: null, mcpServers: [] });
  });

  it('come from the environment until the owner changes them, and again when the owner removes them', async () => {
    const { settings } = await open({ ...environment, AGENT_COST_PER_DAY: '2.50' });
    const before = await settings.get();
    expect(before).toMatchObject({
      model: 'stub',
      modelUrl: 'http://127.0.0.1:1/v1',
      modelKey: { lastFour: 'ment' },
      costPerDay: 2.5,
      fromEnvironment: ['model', 'modelUrl', 'tokensPerDay', 'costPerDay', 'modelKey'],
    });
    expect(await settings.config()).toMatchObject({ off: null, costMicroPerDay: 2_500_000 });

    const after = await settings.change({
      model: 'other',
      modelKey: 'key-of-the-owner',
      costPerDay: 1,
      policy: { fetchUrl: 'blocked' },
    });
    expect(after).toMatchObject({
      model: 'other',
      modelUrl: 'http://127.0.0.1:1/v1',
      modelKey: { lastFour: 'wner' },
      costPerDay: 1,
      policy: { fetchUrl: 'blocked', webSearch: 'always_allow' },
      fromEnvironment: ['modelUrl', 'tokensPerDay'],
    });
    expect(await settings.modelSettings()).toMatchObject({ model: 'other', modelKey: 'key-of-the-owner' });

    await settings.change({ policy: { webSearch: 'blocked' } });
    expect(await settings.config()).toMatchObject({ policy: { fetchUrl: 'blocked', webSearch: 'blocked' } });

    await settings.change({ model: null, modelKey: null, costPerDay: null, policy: {} });
    expect(await settings.get()).toMatchObject({ ...before, policy: { fetchUrl: 'blocked' } });
  });

  it('keeps keys sealed, and the log hides them', async () => {
    const { settings, start, rows, hidden } = await open(environment);
    await settings.change({ modelKey: 'key-of-the-owner', braveKey: 'key-of-brave' });
    expect(JSON.stringify(await rows())).not.toMatch(/key-of/);
    expect(JSON.stringify(await settings.get())).not.toMatch(/key-of/);
    expect(await settings.services()).toMatchObject({ braveKey: 'key-of-brave' });
    expect([...hidden]).toEqual(['key-of-the-owner', 'key-of-brave']);

    const other = start('another secret');
    expect(await other.modelSettings()).toMatchObject({ modelKey: 'key-of-the-environment' });
    expect(await other.services()).toMatchObject({ braveKey: null });
  });

  it('unseal a key only where it is used, and the log hides it from then on', async () => {
    const { settings, start, hidden } = await open(environment);
    await settings.change({ modelKey: 'key-of-the-owner', braveKey: 'key-of-brave' });
    hidden.clear();
    const restarted = start();
    await restarted.config();
    await restarted.userKeys('ann');
    expect(hidden.size).toBe(0);
    await restarted.modelSettings();
    expect(hidden).toContain('key-of-the-owner');
    hidden.clear();
    await restarted.services();
    expect(hidden).toContain('key-of-brave');
  });

  it('US-15 sends a key to no other server than the one that it was set for', async () => {
    const { settings } = await open(environment);
    const keyAt = async (input: Parameters<typeof settings.change>[0]) => {
      await settings.change(input);
      return (await settings.modelSettings()).modelKey;
    };
    expect(await keyAt({ modelUrl: 'https://other.example.org/v1' })).toBeNull();
    expect(await keyAt({ modelKey: 'key-of-the-owner' })).toBe('key-of-the-owner');
    expect(await keyAt({ modelUrl: 'https://third.example.org/v1' })).toBeNull();
    expect(await keyAt({ modelUrl: 'https://other.example.org/v2' })).toBe('key-of-the-owner');
    expect(await keyAt({ modelUrl: null, modelKey: null })).toBe('key-of-the-environment');
    expect(await keyAt({ model: 'anthropic/claude-opus' })).toBeNull();
    expect(await settings.get()).toMatchObject({ modelUrl: null, modelKey: { lastFour: '-env' } });
  });

  it('US-15 tests a draft with the saved key only at the server that the key was set for', async () => {
    const { settings } = await open();
    const [url, key] = ['https://one.example.org/v1', 'key-of-the-owner'];
    await settings.change({ model: 'stub', modelUrl: url, modelKey: key });
    const drafted = async (draft: SettingsDraft) => {
      const { model, modelUrl, modelKey } = await settings.drafted(draft).modelSettings();
      return [model, modelUrl, modelKey];
    };
    expect(await drafted({})).toEqual(['stub', url, key]);
    expect(await drafted({ model: 'other' })).toEqual(['other', url, key]);
    expect(await drafted({ modelUrl: 'https://one.example.org/v2' })).toContain(key);
    for (const modelUrl of [
      'https://two.example.org/v1',
      'https://one.example.org:8443/v1',
      'http://one.example.org/v1',
    ])
      expect(await drafted({ modelUrl })).toEqual(['stub', modelUrl, null]);
    expect(await drafted({ modelUrl: 'https://two.example.org/v1', modelKey: 'typed' })).toContain('typed');
    expect(await drafted({ modelKey: null })).toEqual(['stub', url, null]);
    expect(await settings.get()).toMatchObject({
      model: 'stub',
      modelUrl: url,
      modelKey: { lastFour: 'wner' },
    });
  });

  it('reads the services of a draft: the key of Brave as kept, typed or removed, and nothing is saved', async () => {
    const { settings } = await open({ AGENT_SEARXNG_URL: 'http://searx.lan' });
    await settings.change({ braveKey: 'key-of-brave' });
    const before = await settings.get();
    const drafted = async (draft: SettingsDraft) => {
      const { braveKey, searxngUrl } = await settings.drafted(draft).services();
      return [braveKey, searxngUrl];
    };
    expect(await drafted({})).toEqual(['key-of-brave', 'http://searx.lan']);
    expect(await drafted({ searxngUrl: 'http://b.lan' })).toEqual(['key-of-brave', 'http://b.lan']);
    expect(await drafted({ braveKey: 'typed' })).toEqual(['typed', 'http://searx.lan']);
    expect(await drafted({ braveKey: null, searxngUrl: null })).toEqual([null, 'http://searx.lan']);
    await expect(drafted({ braveKey: 'two words' })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    expect(await settings.get()).toEqual(before);
  });

  it('refuses a key without a model, and one that breaks a header', async () => {
    const { settings } = await open();
    await expect(settings.change({ modelKey: 'key' })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    const input = { model: 'openai/gpt-5', modelKey: 'key\r\nx-other: 1' };
    await expect(settings.change(input)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  it('keeps both of two changes at once', async () => {
    const { settings } = await open();
    await Promise.all([
      settings.change({ model: 'openai/gpt-5' }),
      settings.change({ n8nUrl: 'http://n8n.lan' }),
    ]);
    expect(await settings.get()).toMatchObject({ model: 'openai/gpt-5', n8nUrl: 'http://n8n.lan' });
  });

  it('keeps a key for n8n for each user, for the n8n that it was set for', async () => {
    const { settings, rows } = await open();
    await expect(settings.setUserKey('ann', 'key')).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    await settings.change({ n8nUrl: 'https://n8n.example.org/' });
    await settings.setUserKey('ann', 'key-of-ann');
    expect([await settings.userKey('ann'), await settings.userKey('ben')]).toEqual(['key-of-ann', null]);
    await settings.change({ n8nUrl: 'https://other.example.org/' });
    expect(await settings.userKey('ann')).toBeNull();
    await settings.setUserKey('ann', null);
    expect((await rows()).map(({ scope }) => scope)).toEqual(['all']);
  });
});
