import {
  defaultLanePolicy,
  type LaneOverrides,
  type LanePolicy,
  type QueueSettings,
} from '@drawbridge/contracts/agent/lanes';

/** Where a value of a policy was set. */
export type PolicySource = 'session' | 'channel' | 'server' | 'default';

interface Layers {
  settings: QueueSettings | undefined;
  channel: string;
  /** Of the thread. */
  overrides: LaneOverrides;
}

/** The first layer decides. A channel is looked up as an own property: it is named by a client. */
const layersOf = ({ settings, channel, overrides }: Layers): [PolicySource, LaneOverrides][] => [
  ['session', overrides],
  ['channel', (Object.hasOwn(settings?.channels ?? {}, channel) && settings?.channels[channel]) || {}],
  ['server', settings?.default ?? {}],
];

export const policyOf = (layers: Layers): LanePolicy =>
  layersOf(layers).reduceRight<LanePolicy>(
    (policy, [, layer]) => ({ ...policy, ...layer }),
    defaultLanePolicy,
  );

export const sourceOf = (layers: Layers, name: keyof LanePolicy): PolicySource =>
  layersOf(layers).find(([, layer]) => layer[name] !== undefined)?.[0] ?? 'default';
