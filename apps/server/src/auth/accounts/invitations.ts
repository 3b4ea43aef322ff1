import type { Invitation, InvitationLink } from '@drawbridge/contracts/accounts';
import type { Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { errors } from '../../errors.ts';
import type { Auth } from '../better-auth.ts';
import { digest } from '../digest.ts';
import type { Transaction } from './new-account.ts';

const holdsMs = 7 * 24 * 60 * 60 * 1_000;

interface InvitationRow {
  id: string;
  createdAt: Date;
  expiresAt: Date;
}

const seen = ({ id, createdAt, expiresAt }: InvitationRow): Invitation => ({
  id,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
});

interface Needs {
  auth: Auth;
  clock: Clock;
  /** The origin that links carry. */
  url(): string;
}

/** Links by which the owner lets people in: 7 days, one use, a digest in the store. */
export const createInvitations = async ({ auth, clock, url }: Needs) => {
  const { adapter } = await auth.$context;
  const model = 'invitation';

  return {
    create: async (createdBy: string): Promise<InvitationLink> => {
      const token = `invite_${nanoid(32)}`;
      const now = clock.now();
      const times = { createdAt: new Date(now), expiresAt: new Date(now + holdsMs) };
      const row = await adapter.create<Record<string, unknown>, InvitationRow>({
        model,
        data: { digest: digest(token), createdBy, ...times },
      });
      // In the fragment, which no server and no log gets to see.
      return { ...seen(row), url: `${url()}/invitation#token=${token}` };
    },
    /** Those that can still be used, newest first. */
    list: async (): Promise<Invitation[]> => {
      const rows = await adapter.findMany<InvitationRow>({
        model,
        where: [{ field: 'expiresAt', operator: 'gt', value: new Date(clock.now()) }],
        sortBy: { field: 'createdAt', direction: 'desc' },
      });
      return rows.map(seen);
    },
    /** Throws `notFound` for an id that names none. */
    revoke: async (id: string): Promise<void> => {
      const gone = await adapter.deleteMany({ model, where: [{ field: 'id', value: id }] });
      if (gone === 0) throw errors.notFound();
    },
    /** Consumes an invitation in the transaction that creates the account. Throws `forbidden`. */
    consume: async (trx: Transaction, token: string): Promise<void> => {
      const used = await trx.deleteMany({
        model,
        where: [
          { field: 'digest', value: digest(token) },
          { field: 'expiresAt', operator: 'gt', value: new Date(clock.now()) },
        ],
      });
      if (used === 0)
        throw errors.forbidden({ message: 'This invitation does not hold', fix: 'Ask for a new link.' });
    },
  };
};
