import { defaultLanePolicy } from '@drawbridge/contracts/agent/lanes';
import {
  mostChannels,
  runtimeSettings,
  type RuntimeSettings,
  type SettingsPatch,
} from '@drawbridge/contracts/rpc/settings';
import { errors } from '../errors.ts';

const defaultSettings: RuntimeSettings = {
  queue: {
    default: defaultLanePolicy,
    channels: {},
  },
  nodes: { enabled: true, location: false, push: false },
};

/** Stored settings, with the defaults for what an older version did not store. */
export const completeSettings = (stored: unknown): RuntimeSettings => {
  const read = runtimeSettings.partial().safeParse(stored);
  return { ...defaultSettings, ...read.data };
};

const defined = <Value>(values: Record<string, Value>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null));

/** Throws `badRequest` for too many channels. */
export const patchSettings = (before: RuntimeSettings, { queue, nodes }: SettingsPatch): RuntimeSettings => {
  const after = runtimeSettings.parse({
    queue: {
      default: { ...before.queue.default, ...queue?.default },
      channels: defined({ ...before.queue.channels, ...queue?.channels }),
    },
    nodes: { ...before.nodes, ...nodes },
  });
  if (Object.keys(after.queue.channels).length > mostChannels)
    throw errors.badRequest({ message: `At most ${mostChannels} channels may have a policy` });
  return after;
};

/** Paths such as `nodes.location` whose values differ. */
export const changedPaths = (before: unknown, after: unknown, path = ''): string[] => {
  if (!isRecord(before) || !isRecord(after)) return Object.is(before, after) ? [] : [path];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) =>
    changedPaths(before[name], after[name], path === '' ? name : `${path}.${name}`),
  );
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
