import type { InitReply } from '@drawbridge/contracts/daemon-reply';
import type { InitBody } from '@drawbridge/contracts/daemon-surface';
import { errorTable } from '@drawbridge/contracts/errors';
import type { Reply } from './reply.ts';

/** The newest epoch of this machine that its server has named, also to an earlier process; null for none. */
export interface KnownEpoch {
  get(): number | null;
  set(epoch: number | null): void;
}

export const knownEpoch = (): KnownEpoch => {
  let known: number | null = null;
  return { get: () => known, set: (epoch) => void (known = epoch) };
};

/** Other daemons may use this key at the same time; more conflicts than these are a failure. */
const maxConflicts = 3;

const isConflict = (reply: Reply<InitReply>): boolean =>
  !reply.ok && reply.failure.code === errorTable.conflict.code;

/**
 * Posts an init for the newest known epoch: one whose answer was not waited for changes nothing if it arrives
 * after the next one, also that of an earlier process. After a conflict it asks for the newest epoch.
 */
export const postInit = async (
  { epoch, post }: { epoch: KnownEpoch; post(body: InitBody): Promise<Reply<InitReply>> },
  body: InitBody,
): Promise<Reply<InitReply>> => {
  const send = async (more: Partial<InitBody>) => {
    const reply = await post({ ...body, ...more });
    if (reply.ok) epoch.set(reply.value.epoch ?? null);
    return reply;
  };
  const sendAfter = () => {
    const after = epoch.get();
    return send(after === null ? {} : { after });
  };
  let reply = await sendAfter();
  for (let conflicts = 1; isConflict(reply) && conflicts < maxConflicts; conflicts += 1) {
    const newest = await send({ check: true });
    if (!newest.ok) return newest;
    reply = await sendAfter();
  }
  return reply;
};
