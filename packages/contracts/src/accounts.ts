import { z } from 'zod';
import { isoTime } from './ids.ts';

export const passwordLimits = { minLength: 10, maxLength: 128 } as const;

const account = {
  name: z.string().trim().min(1).max(100),
  email: z.email().max(254),
  password: z.string().min(passwordLimits.minLength).max(passwordLimits.maxLength),
};

export const setupStatus = z.object({ needed: z.boolean() });

/** Makes the owner, once, with the token that the server printed on its console. */
export const createOwnerInput = z.strictObject({ setupToken: z.string().min(1).max(200), ...account });
export type CreateOwnerInput = z.infer<typeof createOwnerInput>;

export const user = z.object({ id: z.string(), name: z.string(), email: z.string(), isOwner: z.boolean() });
export type User = z.infer<typeof user>;

/** An invitation as its owner sees it; the link itself is shown once, when it is made. */
export const invitation = z.object({ id: z.string(), createdAt: isoTime, expiresAt: isoTime });
export type Invitation = z.infer<typeof invitation>;
export const invitationLink = invitation.extend({ url: z.string() });
export type InvitationLink = z.infer<typeof invitationLink>;

export const acceptInvitationInput = z.strictObject({
  invitationToken: z.string().min(1).max(200),
  ...account,
});
export type AcceptInvitationInput = z.infer<typeof acceptInvitationInput>;
