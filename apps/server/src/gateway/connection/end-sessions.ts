import type { Registry } from '../machines/registry.ts';
import type { Keys } from '../pairing/keys.ts';
import type { Scope } from '../settings/switches.store.ts';
import type { Connections } from './connections.ts';

/** Revokes all keys of a scope and disconnects its machines. */
export const endSessions = async (
  { registry, keys, connections }: { registry: Registry; keys: Keys; connections: Connections },
  scope: Scope,
): Promise<void> => {
  const machines = scope.kind === 'all' ? registry.all() : await registry.ofUser(scope.userId);
  if (scope.kind === 'all') await keys.revokeAll();
  else await keys.revokeUser(scope.userId);
  for (const machine of machines) connections.disconnect(machine, 'user');
};
