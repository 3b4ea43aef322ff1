import { openCallStates, restCallParams, type Call, type CallState } from '@drawbridge/contracts';
import type { FastifyRequest } from 'fastify';
import { errors } from '../../errors.ts';
import type { Gateway } from '../../gateway/index.ts';
import { isOwn, type Caller } from './caller.ts';

const openStates: ReadonlySet<CallState> = new Set(openCallStates);

export const isOpen = ({ state }: Pick<Call, 'state'>): boolean => openStates.has(state);

/** The id in the address; one that cannot be any call's is as unknown as another. */
export const requestIdOf = ({ params }: FastifyRequest): string => {
  const read = restCallParams.safeParse(params);
  if (!read.success) throw errors.notFound();
  return read.data.requestId;
};

/** A call that was made with the caller's own token; `notFound` for every other one, also of the same person. */
export const ownCall = async (gateway: Gateway, caller: Caller, requestId: string): Promise<Call> => {
  const call = await gateway.getCall(caller.userId, requestId);
  if (!isOwn(caller, call)) throw errors.notFound();
  return call;
};
