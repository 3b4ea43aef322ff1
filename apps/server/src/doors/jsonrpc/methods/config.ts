import {
  configPatchParams,
  configPatched,
  configReloaded,
  configView,
} from '@drawbridge/contracts/rpc/settings';
import { noParams } from '@drawbridge/contracts/rpc/system';
import type { RpcContext } from '../context.ts';
import { method } from '../method.ts';

const masked = (key: unknown) => (key === null ? null : '***');

/** The models of the agent by their provider, without keys. */
const modelsOf = async ({ agent }: RpcContext): Promise<Record<string, Record<string, unknown>>> => {
  if (!agent) return {};
  const { model, modelUrl, modelKey, helperModel } = await agent.settings.get();
  const provider = /^(anthropic|openai|google)\//.exec(model ?? '')?.[1] ?? 'compatible';
  if (model === null) return {};
  return { default: { [provider]: { model, url: modelUrl, helperModel, apiKey: masked(modelKey) } } };
};

export const configGet = method('config.get', 'operate', { params: noParams, result: configView }).handle(
  async (ctx) => {
    const { values, revision } = await ctx.settings.get();
    return { models: await modelsOf(ctx), server: ctx.configuration.shown, ...values, revision };
  },
);

/** Changes settings of the running server. */
export const configPatch = method('config.patch', 'owner', {
  params: configPatchParams,
  result: configPatched,
}).handle(async ({ settings }, { params: { patch, revision: expected } }) => {
  const { revision } = await settings.patch(patch, expected);
  return { success: true, persisted: true, revision };
});

/** Reads the settings again, which another server may have changed. */
export const configReload = method('config.reload', 'operate', {
  params: noParams,
  result: configReloaded,
}).handle(async ({ settings, configuration }) => ({
  success: true,
  changed: await settings.reload(),
  restart: [...configuration.variables],
}));
