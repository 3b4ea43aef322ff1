import { daemonMounts } from '@drawbridge/contracts/daemon-paths';

/**
 * One of the two ways by which daemons reach us: its envelope, and whether its stream takes a key in the
 * query.
 */
export interface Mount {
  /** The path that `/gateway` and `/confirm` are below. */
  base: string;
  queryKey: boolean;
  /** What succeeded, in this mount's envelope. */
  wrap(reply: object): object;
}

const baseOf = (gateway: string) => gateway.slice(0, -'/gateway'.length);

/** Both mounts; `allowQueryKey` false takes the key in the query from the bare one too. */
export const mounts = (allowQueryKey: boolean): readonly Mount[] => [
  { base: baseOf(daemonMounts.bare), queryKey: allowQueryKey, wrap: (reply) => reply },
  { base: baseOf(daemonMounts.wrapped), queryKey: false, wrap: (data) => ({ data }) },
];
