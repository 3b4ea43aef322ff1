import { viaOf, type Access } from '../../auth/index.ts';

/** Whom a bearer speaks for, and how far it goes. */
export interface Caller {
  access: Access;
  userId: Access['userId'];
  scopes: Access['scopes'];
  /** Tells this bearer from every other one of every user. */
  accessId: string;
  /** The machine that the address names; the one that the user uses when undefined. */
  machineId?: string;
}

export const callerOf = (access: Access, machineId: string | undefined): Caller => ({
  access,
  userId: access.userId,
  scopes: access.scopes,
  accessId: JSON.stringify([access.userId, access.kind, viaOf(access).id]),
  ...(machineId !== undefined && { machineId }),
});
