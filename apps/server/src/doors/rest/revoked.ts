import type { AccessControl } from '../../auth/index.ts';
import type { Caller } from './caller.ts';

/** Aborts when the caller's access is revoked or has run out, also after the client has left; `stop` ends the watch. */
export const watchRevoked = (
  access: AccessControl,
  caller: Caller,
): { signal: AbortSignal; stop: () => void } => {
  const revoked = new AbortController();
  const stop = access.onRevoked(caller.access, () => revoked.abort());
  return { signal: revoked.signal, stop };
};
