import type {
  AcceptInvitationInput,
  CreateOwnerInput,
  Invitation,
  InvitationLink,
  User,
} from '@drawbridge/contracts';

/** A person who is signed in; `token` names the session inside the server and never leaves it. */
export interface Session {
  token: string;
  user: User;
}

/** A fresh session: the `Set-Cookie` values that carry it to the browser. */
export interface SignedIn {
  user: User;
  cookies: string[];
}

/** Who may use the server. */
export interface Accounts {
  /** True until the owner's account exists. */
  setupNeeded(): Promise<boolean>;
  /** Makes the owner, once. Throws `forbidden` for a wrong token, `alreadySetUp` when somebody was first. */
  createOwner(input: CreateOwnerInput): Promise<SignedIn>;
  /** Makes an account from an unused invitation. Throws `forbidden` for one that does not hold, `emailTaken`. */
  acceptInvitation(input: AcceptInvitationInput): Promise<SignedIn>;
  /** The session that a request's `Cookie` header carries, as the store has it at this moment; null without one. */
  session(cookie: string | undefined): Promise<Session | null>;
  /** Calls `ended` once when the session is over, at most a second after; the returned function stops watching. */
  watch(session: Session, ended: () => void): () => void;
  /** The account with that e-mail address, in any case; null when there is none. */
  byEmail(email: string): Promise<User | null>;
  /** The owner's account, once it exists. */
  ownerId(): Promise<string | null>;
  createInvitation(ownerId: string): Promise<InvitationLink>;
  /** Those that can still be used, newest first. */
  listInvitations(): Promise<Invitation[]>;
  /** Throws `notFound` for an id that names none. */
  revokeInvitation(id: string): Promise<void>;
}
