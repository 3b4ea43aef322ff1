import { z } from 'zod';
import { isoTime } from './ids.ts';

export const passwordLimits = { minLength: 10, maxLength: 128 } as const;

const account = {
  name: z.string().trim().min(1).max(100),
  email: z.email().max(254),
  password: z.string().min(passwordLimits.minLength).max(passwordLimits.maxLength),
};

/** `serverCommand`: how to call `drawbridge-server` on this installation. */
export const setupStatus = z.object({ needed: z.boolean(), serverCommand: z.string() });
export type SetupStatus = z.infer<typeof setupStatus>;

/** Creates the owner, once, with the token that the server printed on its console. */
export const createOwnerInput = z.strictObject({
  setupToken: z
    .string()
    .min(1, 'is missing; open the link that the server printed when it last started')
    .max(200),
  ...account,
});
export type CreateOwnerInput = z.infer<typeof createOwnerInput>;

export const user = z.object({ id: z.string(), name: z.string(), email: z.string(), isOwner: z.boolean() });
export type User = z.infer<typeof user>;

/** An account as the owner of the server sees it. */
export const person = user.extend({ createdAt: isoTime, disabledAt: isoTime.nullable() });
export type Person = z.infer<typeof person>;
export const personIdInput = z.strictObject({ id: z.string().min(1).max(64) });

/** How long a password reset link is valid. */
export const resetLimits = { holdsMs: 60 * 60 * 1_000 } as const;
export const resetLink = z.object({ url: z.string(), expiresAt: isoTime });
export type ResetLink = z.infer<typeof resetLink>;
export const resetPasswordInput = z.strictObject({
  resetToken: z.string().min(1).max(200),
  password: account.password,
});
export type ResetPasswordInput = z.infer<typeof resetPasswordInput>;
/**
 * Carries the session's second proof beside its cookie, on every request of a user. Browsers send a cookie to
 * every port of a host, but the proof only to the origin that the user signed in to.
 */
export const sessionProofHeader = 'x-session-proof';
/** A session of the user, as one browser has it. */
export const ownSession = z.object({
  id: z.string(),
  createdAt: isoTime,
  expiresAt: isoTime,
  /** What the browser said of itself; it may be anything. */
  userAgent: z.string().nullable(),
  isCurrent: z.boolean(),
});
export type OwnSession = z.infer<typeof ownSession>;
export const sessionIdInput = z.strictObject({ id: z.string().min(1).max(64) });

/** The reply to a sign-in: the user, and the proof of the new session. */
export const signedIn = user.extend({ sessionProof: z.string() });
export type SignedIn = z.infer<typeof signedIn>;
/** The reply to a changed password: the new proof of the session. */
export const passwordChanged = z.object({ sessionProof: z.string() });

/** An invitation as its owner sees it; the link is shown once, when it is created. */
export const invitation = z.object({ id: z.string(), createdAt: isoTime, expiresAt: isoTime });
export type Invitation = z.infer<typeof invitation>;
export const invitationLink = invitation.extend({ url: z.string() });
export type InvitationLink = z.infer<typeof invitationLink>;

export const acceptInvitationInput = z.strictObject({
  invitationToken: z.string().min(1).max(200),
  ...account,
});
export type AcceptInvitationInput = z.infer<typeof acceptInvitationInput>;
