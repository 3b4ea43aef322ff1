import type { InitBody } from '@drawbridge/contracts/daemon-surface';
import { refusedPairing, type RefusedPairing } from '@drawbridge/contracts/machines/summary';
import { CodedError, type Clock } from '@drawbridge/kit';
import type { Bus } from '../bus.ts';

interface Refused {
  userId: string;
  body: InitBody;
  error: unknown;
}

/** Publishes that a daemon came with a token of the user and was refused. Other errors are not published. */
export const publishRefused = (
  { clock, bus }: { clock: Clock; bus: Bus },
  { userId, body, error }: Refused,
): void => {
  const code = refusedPairing.shape.code.safeParse(error instanceof CodedError ? error.code : null);
  if (!code.success || bus.count(`user:${userId}`) === 0) return;
  const at = new Date(clock.now()).toISOString();
  const refused: RefusedPairing = { code: code.data, hostIdentifier: body.hostIdentifier ?? null, at };
  bus.publish(`user:${userId}`, { type: 'pairing-refused', userId, refused });
};
