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
  /** Creates an account from an unused invitation. Throws `forbidden` for an invalid one, `emailTaken`. */
  acceptInvitation(input: AcceptInvitationInput): Promise<FreshSession>;
  /**
   * The session of the cookie and the proof, as stored now; null without either. Throws `twoSessions` for two
   * session cookies.
   */
  session(credentials: Credentials): Promise<Session | null>;
  /** Calls `ended` once, within a second of the session's end. Returns the function that unsubscribes. */
  watch(session: Session, ended: () => void): () => void;
  /** The account with that e-mail address, ignoring case; null without one. */
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
  /** Whether there is an account of that id that is not disabled. */
  isEnabled(userId: string): Promise<boolean>;
  /** A link for a new password; ends earlier ones. Throws `notFound`, `forbidden` for a disabled account. */
  createReset(userId: string): Promise<ResetLink>;
  /** Sets the password, ends all sessions and opens a new one. Throws `forbidden` for an invalid token. */
  resetPassword(input: ResetPasswordInput): Promise<FreshSession>;
  /** Blocks signing in and ends all sessions. Throws `notFound`, `forbidden` for the owner's account. */
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
  /** Blocks signing in; ends sessions, tokens, clients and machines. `forbidden` for the owner's account. */
  disable(userId: string): Promise<void>;
  enable(userId: string): Promise<void>;
  /** Disables and deletes the account, its machines and its calls. `forbidden` for the owner's account. */
  remove(userId: string): Promise<void>;
}
