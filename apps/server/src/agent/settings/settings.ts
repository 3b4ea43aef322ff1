import type { AgentConfig } from '@drawbridge/agent';
import type {
  AgentSettings,
  AgentSettingsInput,
  SettingsDraft,
  UserKeys,
} from '@drawbridge/contracts/agent/settings';
import { parseUrl, type Clock } from '@drawbridge/kit';
import type { CacheRows } from '../../db/index.ts';
import { errors } from '../../errors.ts';
import type { AgentEnvironment } from '../config-schema.ts';
import { keyOriginOf, type ModelSettings } from '../models/index.ts';
import { createKeyBox, keyView, modelKeyOf, sentKeyOf, vendorKeysOf, type KeyLabel } from './key-box.ts';
import { namesFromEnvironment, type Effective } from './merge.ts';
import { createOwner, type OwnerSettings, type OwnerValues } from './owner.ts';
import type { Sealer } from '../../secrets/index.ts';
import type { SwitchedWorkspaces } from '../workspace/index.ts';
import type { Scope, SettingsStore } from './settings.store.ts';

/** Services that the agent uses beside its model. */
export interface AgentServices {
  mcpServers: AgentSettings['mcpServers'];
  searxngUrl: string | null;
  braveKey: string | null;
  n8nUrl: string | null;
}

/** What the agent's parts read at each use, as it is saved or as it would be with a draft. */
export interface SettingsReader {
  modelSettings(): Promise<ModelSettings>;
  services(): Promise<AgentServices>;
  /** The user's key for n8n at its URL; null without one. */
  userKey(userId: string): Promise<string | null>;
}

interface Needs {
  store: SettingsStore;
  cacheRows: CacheRows;
  sealer: Sealer;
  environment: AgentEnvironment;
  clock: Clock;
  workspaces: Pick<SwitchedWorkspaces, 'open' | 'retry'>;
  /** Masks a key in the log from now on. */
  hide(secret: string): void;
}

const configOf = (holds: Effective, environment: AgentEnvironment): AgentConfig => ({
  off: keyOriginOf(holds) === null ? 'model' : null,
  runtimeBackends: environment.runtimeBackends,
  policy: holds.workspaces === 'none' ? { ...holds.policy, workspace: 'blocked' } : holds.policy,
  areToolsDeferred: environment.agentDeferredTools,
  areSecretsMasked: environment.agentMaskSecrets,
  observerTokens: environment.agentObserverTokens,
  reflectorTokens: environment.agentReflectorTokens,
  memoryNamespace: environment.agentMemoryNamespace,
  askTtlMs: environment.agentAskTtlMs,
  maxRuns: environment.agentMaxRuns,
  maxRunsPerUser: environment.agentMaxRunsPerUser,
  tokensPerDay: holds.tokensPerDay,
  costMicroPerDay: holds.costPerDay === null ? null : Math.round(holds.costPerDay * 1_000_000),
});

const settingsOf = (
  owner: OwnerSettings,
  environment: AgentEnvironment,
): Omit<AgentSettings, 'workspace'> => {
  const { own, holds, modelKey, braveKey } = owner;
  const sentKey = sentKeyOf(modelKeyOf(modelKey, holds, environment), holds, environment);
  const usedBraveKey = braveKey ?? environment.agentBraveKey ?? null;
  return {
    ...holds,
    modelKey: keyView(sentKey),
    braveKey: keyView(usedBraveKey),
    fromEnvironment: [
      ...namesFromEnvironment(own, environment),
      ...(modelKey === null && sentKey !== null ? ['modelKey'] : []),
      ...(braveKey === null && usedBraveKey !== null ? ['braveKey'] : []),
    ],
  };
};

const modelSettingsOf = (
  { holds, modelKey }: OwnerSettings,
  environment: AgentEnvironment,
): ModelSettings => ({
  model: holds.model,
  modelUrl: holds.modelUrl,
  modelKey: modelKeyOf(modelKey, holds, environment),
  vendorKeys: vendorKeysOf(environment),
  helperModel: holds.helperModel,
  contextTokens: holds.contextTokens,
  maxOutputTokens: environment.agentMaxOutputTokens,
  prices: holds.prices,
});

const servicesOf = ({ holds, braveKey }: OwnerSettings, environment: AgentEnvironment): AgentServices => ({
  mcpServers: holds.mcpServers,
  searxngUrl: holds.searxngUrl,
  braveKey: braveKey ?? environment.agentBraveKey ?? null,
  n8nUrl: holds.n8nUrl,
});

/** The agent's settings: a change holds from the next read; one of another server within half a second. */
export const createSettings = (needs: Needs) => {
  const { store, cacheRows, sealer, environment, clock, workspaces, hide } = needs;
  const keys = createKeyBox(sealer, hide);
  const owner = createOwner({ store, cacheRows, keys, environment, clock });

  const none = { problem: null };
  /** Opens workspaces where they are wanted: their tools are there from then on. */
  const workspaceOf = async ({ workspaces: kind }: Effective): Promise<AgentSettings['workspace']> => {
    const { problem } = kind === 'none' ? none : await workspaces.open();
    return { isOn: kind !== 'none' && problem === null, problem };
  };

  const get = async (): Promise<AgentSettings> => {
    const values = await owner.readWithKeys();
    return { ...settingsOf(values, environment), workspace: await workspaceOf(values.holds) };
  };

  /** The key of a user goes to the n8n that the owner has named. */
  const n8nLabel = (scope: Scope, { holds: { n8nUrl } }: OwnerValues): KeyLabel => ({
    scope,
    name: 'n8n',
    origin: parseUrl(n8nUrl ?? '')?.origin ?? null,
  });

  const n8nKey = async (userId: string, values: OwnerValues): Promise<string | null> => {
    const label = n8nLabel(`user:${userId}`, values);
    const row = label.origin === null ? null : await store.read(label.scope);
    return row && keys.open(row.sealedKeys, label);
  };
  const userKey = async (userId: string) => n8nKey(userId, await owner.read());

  return {
    /** For the owner: a key is shown by its last four characters. */
    get,
    /** The caller has checked that this is the owner. Throws `badRequest` for a key without its server. */
    change: async (input: AgentSettingsInput) => {
      await owner.change(input);
      workspaces.retry();
      return get();
    },
    config: async () => {
      const { holds } = await owner.read();
      await workspaceOf(holds);
      return configOf(holds, environment);
    },
    modelSettings: async () => modelSettingsOf(await owner.readWithKeys(), environment),
    /** As if the draft were saved. Its readers throw `badRequest` for a key with blanks. */
    drafted: (draft: SettingsDraft): SettingsReader => ({
      modelSettings: async () => modelSettingsOf(await owner.readDraft(draft), environment),
      services: async () => servicesOf(await owner.readDraft(draft), environment),
      userKey: async (userId) => n8nKey(userId, await owner.readDraft(draft)),
    }),
    services: async () => servicesOf(await owner.readWithKeys(), environment),
    userKey,
    /** The same as the person sees it. */
    userKeys: async (userId: string): Promise<UserKeys> => ({
      n8nUrl: (await owner.read()).holds.n8nUrl,
      n8n: keyView(await userKey(userId)),
    }),
    /** Null removes it. Throws `badRequest` while the owner has set no URL of n8n. */
    setUserKey: async (userId: string, key: string | null): Promise<void> => {
      const scope: Scope = `user:${userId}`;
      if (key === null) return store.remove(scope);
      const label = n8nLabel(scope, await owner.read());
      if (label.origin === null) throw errors.badRequest({ message: 'The owner has not set the URL of n8n' });
      await store.write(scope, { values: {}, sealedKeys: keys.put({}, label, key) }, clock.now());
    },
  };
};
