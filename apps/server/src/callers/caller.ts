import type { CallVia } from '@drawbridge/contracts/calls';
import type { TokenScope } from '@drawbridge/contracts/tokens';
import type { Clock } from '@drawbridge/kit';
import type { Access } from '../auth/index.ts';
import type { Gateway } from '../gateway/index.ts';

/** The identity and rights of a caller. */
export interface Caller {
  userId: string;
  /** The groups of tools that it may use; `all` for a user who is signed in. No tool belongs to `chat`. */
  scopes: readonly TokenScope[] | 'all';
  /** The token or client that its calls come through; without one it is a user who is signed in. */
  via?: CallVia;
  /** The machine that it names, by its id or name. */
  machineId?: string;
  /** The ids of the machines that it may use; undefined: all of the user. */
  machines?: readonly string[];
}

/** A caller with an access token. */
export interface BearerCaller extends Caller {
  access: Access;
  via: CallVia;
  /** Differs from that of every other token and client of every user. */
  id: string;
}

/** What a call needs on its way to the gateway. */
export interface CallerContext {
  gateway: Gateway;
  clock: Clock;
  /** Reports what failed after the caller was answered, for the log. */
  onError(error: unknown): void;
}

export const userCaller = (userId: string): Caller => ({ userId, scopes: 'all' });

/** The caller that an access token stands for, with the machine that the address of the request names. */
export const bearerCaller = (access: Access, machineId?: string): BearerCaller => {
  const { kind, userId, name, scopes, machines } = access;
  const via = { kind, id: kind === 'token' ? access.tokenId : access.clientId, name };
  return {
    access,
    userId,
    scopes,
    via,
    id: JSON.stringify([userId, kind, via.id]),
    ...(machines && { machines }),
    ...(machineId !== undefined && { machineId }),
  };
};

/** Whether a call was made by this caller; a signed-in user owns every call of theirs. */
export const isOwn = ({ via }: Caller, call: { via?: CallVia | undefined }): boolean =>
  via === undefined || (call.via?.kind === via.kind && call.via.id === via.id);
