import {
  agentSettingsInput,
  defaultPolicies,
  type AgentSettings,
  type AgentSettingsInput,
} from '@drawbridge/contracts/agent/settings';
import type { z } from 'zod';
import type { AgentEnvironment } from '../config-schema.ts';
import { providerOf, type ModelPlace } from '../models/index.ts';

/** What the owner has set, without keys. A value that is left out is as in the environment. */
export const ownValues = agentSettingsInput.omit({ modelKey: true, braveKey: true });
export type OwnValues = z.infer<typeof ownValues>;

const omitNull = <Values extends object>(values: Values): Values =>
  Object.assign(
    {},
    ...Object.entries(values).map(([name, value]) => (value == null ? {} : { [name]: value })),
  );

/** `null` removes a value, what is left out stays, and a policy is changed action by action. */
export const changed = (own: OwnValues, input: AgentSettingsInput): OwnValues => {
  const { modelKey: _modelKey, braveKey: _braveKey, ...values } = input;
  const policy = { ...own.policy, ...values.policy };
  return omitNull({ ...own, ...values, policy });
};

/** Everything but the keys, as it holds. */
export type Effective = Omit<AgentSettings, 'modelKey' | 'braveKey' | 'workspace' | 'fromEnvironment'>;

const fromEnvironment = (given: AgentEnvironment) =>
  ({
    model: given.agentModel,
    modelUrl: given.agentModelUrl,
    helperModel: given.agentHelperModel,
    contextTokens: given.agentContextTokens,
    tokensPerDay: given.agentTokensPerDay,
    costPerDay: given.agentCostPerDay,
    mcpServers: given.agentMcpServers,
    searxngUrl: given.agentSearxngUrl,
    workspaces: given.agentWorkspace === 'none' ? undefined : given.agentWorkspace,
  }) satisfies Partial<Record<keyof OwnValues, unknown>>;

/** The URL of the environment holds for a model of the owner that has the same provider. */
const modelOf = (own: OwnValues, given: AgentEnvironment): ModelPlace => {
  const sameProvider = own.model == null || providerOf(own.model) === providerOf(given.agentModel ?? '');
  return {
    model: own.model ?? given.agentModel ?? null,
    modelUrl: own.modelUrl ?? (sameProvider ? given.agentModelUrl : null) ?? null,
  };
};

/** The owner's values, then those of the environment. */
export const effective = (own: OwnValues, given: AgentEnvironment): Effective => {
  const others = fromEnvironment(given);
  return {
    ...modelOf(own, given),
    helperModel: own.helperModel ?? others.helperModel ?? null,
    contextTokens: own.contextTokens ?? others.contextTokens ?? null,
    prices: own.prices ?? null,
    tokensPerDay: own.tokensPerDay ?? others.tokensPerDay,
    costPerDay: own.costPerDay ?? others.costPerDay ?? null,
    policy: { ...defaultPolicies, ...own.policy },
    mcpServers: own.mcpServers ?? others.mcpServers ?? [],
    searxngUrl: own.searxngUrl ?? others.searxngUrl ?? null,
    n8nUrl: own.n8nUrl ?? null,
    workspaces: own.workspaces ?? given.agentWorkspace,
  };
};

/** The names of the values that the environment has set and the owner has not. */
export const namesFromEnvironment = (own: OwnValues, given: AgentEnvironment): string[] => {
  const holds = effective(own, given);
  const others = fromEnvironment(given);
  return (Object.keys(others) as (keyof typeof others)[]).filter(
    (name) => own[name] === undefined && others[name] !== undefined && holds[name] === others[name],
  );
};
