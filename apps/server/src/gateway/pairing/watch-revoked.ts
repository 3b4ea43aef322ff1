import { envGatewayUserId } from '@drawbridge/contracts/ids';
import type { Clock } from '@drawbridge/kit';
import type { Keys } from './keys.ts';
import type { Machine } from '../machines/registry.ts';

export interface WatchRevokedNeeds {
  clock: Clock;
  everyMs: number;
  /** Changes after another process has changed the store. */
  othersChanged(): number;
  /** The machines that are connected. */
  machines(): Machine[];
  keys: Pick<Keys, 'revokedAmong' | 'revokedSince'>;
  disconnect(machine: Machine): void;
  onError(error: unknown): void;
}

/** How far the clock of another process may lie behind, and its write after its time. */
const overlapMs = 5_000;

/** Disconnects machines whose keys another process has revoked, such as `drawbridge-server user disable`. */
export const watchRevoked = (needs: WatchRevokedNeeds): (() => void) => {
  const { clock, everyMs, othersChanged, machines, keys, disconnect, onError } = needs;
  let seen = othersChanged();
  let lookedAt = clock.now();

  const check = async () => {
    const now = othersChanged();
    if (now === seen) return;
    seen = now;
    const at = clock.now();
    const changed = new Set(await keys.revokedSince(lookedAt - overlapMs));
    const withKeys = machines().filter(({ id, userId }) => userId !== envGatewayUserId && changed.has(id));
    const revoked = new Set(await keys.revokedAmong(withKeys.map(({ id }) => id)));
    for (const machine of withKeys) if (revoked.has(machine.id)) disconnect(machine);
    lookedAt = at;
  };
  return clock.every(everyMs, () => void check().catch(onError));
};
