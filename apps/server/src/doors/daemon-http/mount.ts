import { daemonMounts } from '@drawbridge/contracts/daemon-paths';

/**
 * One of the two ways by which daemons reach us: its envelope, and whether its stream takes a key in the
 * query.
 */
export interface Mount {
  /** The path that `/gateway` and `/confirm` are below. */
  base: string;
  queryKey: boolean;
  /** Whether it has `GET socket`, which is no part of the specification. */
  socket: boolean;
  /** What succeeded, in this mount's envelope. */
  wrap(reply: object): object;
}

const baseOf = (gateway: string) => gateway.slice(0, -'/gateway'.length);

/** Both mounts; `allowQueryKey` false takes the key in the query from the bare one too. */
export const mounts = (allowQueryKey: boolean): readonly Mount[] => [
  { base: baseOf(daemonMounts.bare), queryKey: allowQueryKey, socket: true, wrap: (reply) => reply },
  { base: baseOf(daemonMounts.wrapped), queryKey: false, socket: false, wrap: (data) => ({ data }) },
];
