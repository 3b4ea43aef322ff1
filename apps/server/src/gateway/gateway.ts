import type {
  Call,
  CallEvent,
  CallPage,
  CallVia,
  ClientInput,
  Confirmation,
  ConfirmationAnswer,
  ConfirmationEvent,
  DaemonEvent,
  DecideReply,
  Door,
  GatewayStatus,
  InitBody,
  InitReply,
  ListCallsInput,
  PairingLink,
  ProgressBody,
  ProgressReply,
  ResponseBody,
  RuleList,
  RulesBody,
  RulesQuery,
  Settings,
  StateChanged,
  Tool,
  ToolCall,
  ToolsBody,
  ToolsReply,
  UpdateSettingsInput,
} from '@drawbridge/contracts';

/** How a call is made: through which door, until when its maker waits, and how the maker takes it back. */
export interface CallOptions {
  door: Door;
  /** The token or client it came through; left out for a person who is signed in. */
  via?: CallVia;
  /** `ended`: resolves in a terminal state. `asked`: resolves there or when a confirmation first opens. */
  until: 'ended' | 'asked';
  signal?: AbortSignal;
  /** What the caller's client can be asked and has answered, for a tool that asks it; the only way to such a tool. */
  clientInput?: ClientInput;
  /** The id that `Repeats.claim` gave; a new one when undefined. */
  requestId?: string;
  /** The machine that is meant; the one that the user uses when undefined. `notFound` where it is not theirs. */
  machineId?: string;
  /** Hears the call's id before anything of the call is told to anybody. */
  onOpened?(requestId: string): void;
}

/** A token or a client that calls come through, whatever it is called. */
export type CallMaker = Pick<CallVia, 'kind' | 'id'>;

/** A machine as a door shows it: what it offers, or offered last while it is away. `digest` tells equal lists. */
export interface MachineView {
  machineId: string;
  status(): GatewayStatus;
  tools: ReadonlyMap<string, Tool>;
  digest: string;
}

/** Names a confirmation by itself or by the call that it asks about (`POST confirm/:requestId`). */
export type ConfirmationKey = { confirmationId: string } | { requestId: string };

/** The writing end of a daemon's open stream; a door makes it, the gateway writes and closes. */
export interface DaemonStream {
  /** Writes one frame; false when the reader has fallen too far behind and the stream was closed. */
  send(frameId: number, event: DaemonEvent): boolean;
  /** Resolves when little is left unread, or the stream is gone. */
  ready(): Promise<void>;
  close(): void;
}

/** `duplicate`: the same answer was taken before. */
export type AnswerReply = { ok: true; duplicate?: true };

/** How a daemon shows who it is: its key, and the epoch of its last init where it knows it. */
export type Proof = string | { key: string; epoch: number };

/** What a daemon can do with a key. Each throws `forbidden`, with one and the same sentence, for a key that does not hold. */
export interface DaemonSide {
  init(key: string, body: InitBody): Promise<InitReply>;
  /** What the machine offers from now on; `replaced` from an older epoch. Who watches the machine's state hears of another list. */
  setTools(proof: Proof, body: ToolsBody): Promise<ToolsReply>;
  /**
   * Attaches a stream (the newest wins); call the returned function when the stream has closed. One of an older epoch
   * is told that it was replaced, and closed.
   */
  openStream(proof: Proof, stream: DaemonStream): Promise<() => void>;
  /** Whose machine speaks with that key; `notFound` for one that never called `init`. */
  userOf(proof: Proof): Promise<string>;
  /** From an older epoch an answer counts only for a call that is open and was given to it. */
  respond(proof: Proof, requestId: string, body: ResponseBody): Promise<AnswerReply>;
  /** The same for several with one look at the key: each is judged by itself, in their order. */
  respondAll(
    proof: Proof,
    answers: readonly { requestId: string; body: ResponseBody }[],
  ): Promise<PromiseSettledResult<AnswerReply>[]>;
  /** Where the post says where its output begins, the reply says how far the output is here. */
  progress(proof: Proof, requestId: string, body: ProgressBody): Promise<ProgressReply>;
  /** Answers the probe of that id: whoever reads the stream is there. */
  probe(proof: Proof, id: number): Promise<void>;
  /** Answers a question about the rules of the machine. */
  rules(proof: Proof, requestId: string, body: RulesBody): Promise<void>;
  disconnect(proof: Proof): Promise<void>;
}

/** What a signed-in user can do. Ids of another user answer as unknown ones: `notFound`. */
export interface UserSide {
  createLink(userId: string): Promise<PairingLink>;
  status(userId: string): Promise<GatewayStatus>;
  tools(userId: string): Promise<Tool[]>;
  /** The machine of that id, else the one that the user's calls go to; null while there never was one. `notFound` where it is not theirs. */
  machine(userId: string, machineId?: string): Promise<MachineView | null>;
  disconnect(userId: string): Promise<void>;
  /** The status on each change; not the one that holds now. */
  onStateChanged(userId: string, listen: (event: StateChanged) => void): () => void;

  getCall(userId: string, requestId: string): Promise<Call>;
  /** All of the user's, or those that came through one token or client. */
  listCalls(userId: string, input: ListCallsInput, via?: CallVia): Promise<CallPage>;
  /** Stops an open call; on one that has ended it changes nothing. Gives the call as it then is. */
  cancelCall(userId: string, requestId: string): Promise<Call>;
  /** Stops all open calls that came through one token or client, and withdraws their questions. */
  cancelCallsOf(userId: string, maker: CallMaker): Promise<void>;
  onCallChanged(userId: string, listen: (event: CallEvent) => void): () => void;
  /** What open calls said last and the newest of what they printed, for whoever begins to listen. */
  liveOutputs(userId: string): CallEvent[];

  /** One of the user's, as it is now; a closed one says what became of it. */
  getConfirmation(userId: string, confirmationId: string): Promise<Confirmation>;
  /** The open ones, oldest first. */
  listConfirmations(userId: string): Promise<Confirmation[]>;
  /**
   * Answers once, durably before it resolves. While the machine is away the decision is kept and sent when it comes
   * back, within what the call has left of its longest time. `alreadyDecided` names the decision that won, `confirmationClosed` a withdrawn or
   * expired one, `decisionNotOffered` and `badRequest` leave it open. Specification 6.2.
   */
  decide(userId: string, key: ConfirmationKey, answer: ConfirmationAnswer): Promise<DecideReply>;
  onConfirmationChanged(userId: string, listen: (event: ConfirmationEvent) => void): () => void;

  /** Asks the machine about its rules, and gives them as they are then. See `Rules`. */
  rules(userId: string, query: RulesQuery): Promise<RuleList>;

  getSettings(userId: string): Promise<Settings>;
  updateSettings(userId: string, input: UpdateSettingsInput): Promise<Settings>;
}

/** Who makes a call, as far as repeats are concerned: each token and client has its own. */
export interface CallOrigin {
  via: CallVia;
  machineId?: string;
  /** The idempotency key that came with the call. */
  key?: string;
}

/** A call that may be made under `requestId`, or that was made before under `first`. */
export type CallClaim =
  | {
      kind: 'new';
      requestId: string;
      /** Call it with whether the call was opened; until then the same key waits. */
      settle(opened: boolean): Promise<void>;
    }
  | { kind: 'repeat'; first: string; by: 'key' | 'unread' };

/** Tells the repeat of a call from a new one. All of it outlives a restart. */
export interface Repeats {
  /**
   * With a key: the call that came first with it, within `idempotencyKeyTtlMs`. Without one: the same call, of a tool that
   * does not only read, whose answer was not read, until `unreadMs` after. Throws `idempotencyKeyReused` for a key of another
   * call, `tooManyRequests` for more keys than a token or client may have.
   */
  claim(userId: string, call: ToolCall, origin: CallOrigin): Promise<CallClaim>;
  /** For a call that is no repeat whatever came before. */
  none(): CallClaim;
  /** The answer of that call was not read, or was not its outcome. */
  unread(userId: string, requestId: string): Promise<void>;
  /** The outcome was read: the same call is a new one from now on. */
  read(userId: string, requestId: string): Promise<void>;
  /**
   * Takes what may be used once; false where it was used within `idempotencyKeyTtlMs`. Throws `tooManyRequests` for more than a
   * token or client may use.
   */
  spend(used: { userId: string; via: CallVia; name: string }): Promise<boolean>;
}

/** The core. All doors meet at `call`. */
export interface Gateway extends UserSide {
  /**
   * Runs one tool on the user's machine. Refused at once, without a record: `notConnected`, `unknownTool`,
   * `gatewayDisabled`, `tooManyCalls`, `tooLarge`, `storeUnavailable`. Once it is written down it always resolves, also for a
   * failed, denied or timed-out call: read `state` and `error`. Specification 6.1 and 6.2.
   */
  call(userId: string, call: ToolCall, options: CallOptions): Promise<Call>;
  repeats: Repeats;
  daemon: DaemonSide;
  /** Takes back every key of a user and lets their machines go. */
  revokeUser(userId: string): Promise<void>;
  /** Takes up what a stopped server left open. Call once, before the doors open. */
  start(): Promise<void>;
  /**
   * Deletes calls that ended longer ago than they are kept, and keys that do not hold any more, step by step. Rejects with the
   * signal's reason when it is aborted.
   */
  forgetOld(signal: AbortSignal): Promise<void>;
  /** Tells every daemon to come back later, closes their streams, lets timers go. */
  stop(): Promise<void>;
}
