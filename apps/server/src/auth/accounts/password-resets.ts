import { resetLimits, type ResetLink, type ResetPasswordInput } from '@drawbridge/contracts/accounts';
import type { Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { errors } from '../../errors.ts';
import { userOf, type Auth, type UserRow } from '../better-auth.ts';
import { digest } from '../digest.ts';
import type { SessionProofs } from '../sessions/session-proof.ts';
import { browserHeaders, type FreshSession, type FromBrowser } from '../sessions/session.ts';

interface ResetRow {
  id: string;
  userId: string;
}
type AccountRow = UserRow & { disabledAt?: Date | null };

interface Needs {
  auth: Auth;
  clock: Clock;
  proofs: SessionProofs;
  /** The origin that links carry. */
  url(): string;
}

const notValid = () =>
  errors.forbidden({
    message: 'This link is not valid any more',
    fix: 'Ask the owner of this server for a new one.',
  });

/** Links by which a person sets a new password: one hour, one use, a digest in the store. */
export const createPasswordResets = async ({ auth, clock, proofs, url }: Needs) => {
  const { adapter, password: passwords } = await auth.$context;
  const model = 'passwordReset';
  const accountOf = (userId: string) =>
    adapter.findOne<AccountRow>({ model: 'user', where: [{ field: 'id', value: userId }] });

  return {
    /**
     * A link for a new password; ends earlier ones. Throws `notFound`, `forbidden` for a disabled account.
     */
    create: async (userId: string): Promise<ResetLink> => {
      const user = await accountOf(userId);
      if (!user) throw errors.notFound({ message: 'There is no such account' });
      if (user.disabledAt)
        throw errors.forbidden({ message: 'This account is disabled', fix: 'Enable it first.' });
      const token = `reset_${nanoid(32)}`;
      const now = clock.now();
      const expiresAt = new Date(now + resetLimits.holdsMs);
      await adapter.transaction(async (trx) => {
        await trx.deleteMany({ model, where: [{ field: 'userId', value: userId }] });
        const data = { digest: digest(token), userId, createdAt: new Date(now), expiresAt };
        await trx.create({ model, data });
      });
      // In the fragment, which no server and no log gets to see.
      return { url: `${url()}/reset-password#token=${token}`, expiresAt: expiresAt.toISOString() };
    },
    use: async (
      { resetToken, password }: ResetPasswordInput,
      from: FromBrowser = {},
    ): Promise<FreshSession> => {
      const now = new Date(clock.now());
      const where = [
        { field: 'digest', value: digest(resetToken) },
        { field: 'expiresAt', operator: 'gt' as const, value: now },
        // Created in the future: the clock was set back, so its age is unknown.
        { field: 'createdAt', operator: 'lte' as const, value: now },
      ];
      const found = await adapter.findOne<ResetRow>({ model, where });
      if (!found) throw notValid();
      const { userId } = found;
      const hash = await passwords.hash(password);
      const user = await adapter.transaction(async (trx) => {
        if ((await trx.deleteMany({ model, where })) === 0) throw notValid();
        const row = await trx.findOne<AccountRow>({ model: 'user', where: [{ field: 'id', value: userId }] });
        if (!row || row.disabledAt) throw notValid();
        await trx.updateMany({
          model: 'account',
          where: [
            { field: 'userId', value: userId },
            { field: 'providerId', value: 'credential' },
          ],
          update: { password: hash, updatedAt: now },
        });
        await trx.deleteMany({ model: 'session', where: [{ field: 'userId', value: userId }] });
        return userOf(row);
      });
      const body = { email: user.email, password };
      const { headers, response } = await auth.api.signInEmail({
        body,
        headers: browserHeaders(from),
        returnHeaders: true,
      });
      return { user, sessionProof: proofs.of(response.token), cookies: headers.getSetCookie() };
    },
  };
};
