import type { CallVia, ToolGroup } from '@drawbridge/contracts';
import { viaOf, type Access } from '../../auth/index.ts';

/** Whom a bearer speaks for, how far it goes, and how its calls are named in the record. */
export interface Caller {
  access: Access;
  userId: string;
  scopes: readonly ToolGroup[];
  via: CallVia;
}

export const callerOf = (access: Access): Caller => ({
  access,
  userId: access.userId,
  scopes: access.scopes,
  via: viaOf(access),
});

/** Whether a call was made by this caller. */
export const isOwn = ({ via }: Caller, call: { via?: CallVia | undefined }): boolean =>
  call.via?.kind === via.kind && call.via.id === via.id;
