import type {
  AcceptInvitationInput,
  CreateOwnerInput,
  Invitation,
  InvitationLink,
  Person,
  ResetLink,
  ResetPasswordInput,
  User,
} from '@drawbridge/contracts/accounts';

/** A person who is signed in; `token` names the session inside the server and never leaves it. */
export interface Session {
  token: string;
  user: User;
}

/** A fresh session: its proof, and the `Set-Cookie` values that carry it to the browser. */
export interface FreshSession {
  user: User;
  sessionProof: string;
  cookies: string[];
}

/** What a request says about who made it: its `Cookie` header and the proof of the session. */
export interface Credentials {
  cookie: string | undefined;
  proof: string | undefined;
}

/** Who may use the server. */
export interface Accounts {
  /** True until the owner's account exists. */
  setupNeeded(): Promise<boolean>;
  /** Makes the owner, once. Throws `forbidden` for a wrong token, `alreadySetUp` when somebody was first. */
  createOwner(input: CreateOwnerInput): Promise<FreshSession>;
  /** Makes an account from an unused invitation. Throws `forbidden` for one that does not hold, `emailTaken`. */
  acceptInvitation(input: AcceptInvitationInput): Promise<FreshSession>;
  /**
   * The session that a request's cookie carries and its proof belongs to, as the store has it at this moment; null without
   * either. Throws `twoSessions` for two cookies of a session.
   */
  session(credentials: Credentials): Promise<Session | null>;
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
  /** Everybody who has an account, the owner first, then by e-mail address. */
  listPeople(): Promise<Person[]>;
  /** Whether there is an account of that id, disabled or not. */
  exists(userId: string): Promise<boolean>;
  /** A link for a new password; earlier ones of the same person end. Throws `notFound`, `forbidden` for a disabled account. */
  createReset(userId: string): Promise<ResetLink>;
  /** Sets the password, ends the person's sessions and opens a new one. Throws `forbidden` for a token that is not valid. */
  resetPassword(input: ResetPasswordInput): Promise<FreshSession>;
  /** Lets nobody sign in to the account, and ends its sessions. Throws `notFound`, `forbidden` for the owner's. */
  disable(userId: string): Promise<void>;
  /** Throws `notFound`. */
  enable(userId: string): Promise<void>;
  /** Deletes the account with its sessions. Throws `notFound`, `forbidden` for the owner's. */
  remove(userId: string): Promise<void>;
}

/** The accounts of the server, with all that they have given out. Ids that name no account: `notFound`. */
export interface People {
  list(): Promise<Person[]>;
  /** Ends a user's access tokens, clients and machines; sessions stay. */
  endGrants(userId: string): Promise<void>;
  /** Nobody can sign in; sessions, tokens, clients and machines end at once. `forbidden` for the owner's account. */
  disable(userId: string): Promise<void>;
  enable(userId: string): Promise<void>;
  /** The same as `disable`, and deletes the account, its machines and its calls. `forbidden` for the owner's account. */
  remove(userId: string): Promise<void>;
}
