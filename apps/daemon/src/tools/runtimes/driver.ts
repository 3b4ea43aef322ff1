import type { Question } from '@drawbridge/contracts/agent/asks';
import type { RuntimeEvent, TurnPicture } from '@drawbridge/contracts/machines/runtimes';
import { createErrors, type Clock } from '@drawbridge/kit';

/**
 * `before`: a part that is in the file once, or null for all of it; `patch` where it is in many places;
 * `parts`: more of them that change with it.
 */
export interface Edit {
  path: string;
  before: string | null;
  after: string;
  patch?: string;
  parts?: { before: string; after: string }[];
}

/** What a coding agent asks to do. */
export type ActionRequest =
  | { kind: 'command'; command: string; cwd?: string }
  | { kind: 'edit'; edits: Edit[] }
  | { kind: 'read'; paths: string[] }
  | { kind: 'other'; name: string; input: unknown };

/** `withdrawn`: the turn ended first, or the program withdrew its question. */
export type Verdict = { allow: true } | { allow: false; reason: string } | { withdrawn: true };

/** What a program asks its person; an answer allows nothing. */
export interface Form {
  message: string;
  questions: Question[];
  /** What its questions are about: shown with them. */
  plan?: string;
}

/** An answer to one question: the places of its options, and words. One that was skipped has none. */
export interface Answered {
  id: string;
  chosen: readonly number[];
  text: string;
}

/** `declined`: why it has no answer. */
export type FormEnd = { answers: Answered[] } | { declined: string } | { withdrawn: true };

/** What the driver reports while a turn runs. */
export interface TurnEvents {
  event(event: RuntimeEvent): void;
  /** `n`: the action that asks. `withdrawal`: aborted when the program withdraws its question. */
  ask(request: ActionRequest, n: number, withdrawal: AbortSignal): Promise<Verdict>;
  /** `n`: the action that it is. */
  form(form: Form, n: number, withdrawal: AbortSignal): Promise<FormEnd>;
}

/** How a question ends that the program withdrew, and one whose turn was stopped. */
export const endedBy = (withdrawal: AbortSignal): string =>
  withdrawal.aborted ? 'The coding agent withdrew its question' : 'The turn was stopped';

/** The program in its walls. */
export interface RunningProgram {
  /** One line, without its line feed. */
  send(line: string): void;
  /** Resolves with why, once nothing of it runs. */
  ended: Promise<string>;
  /** Says that nothing more is sent. */
  close(): void;
  /** Ends everything that it started, at once. */
  kill(): void;
}

export interface TurnEnd {
  stopReason: string;
  tokens: number | null;
}

export interface Prompt {
  text: string;
  pictures: readonly TurnPicture[];
}

/** One open session of a program. */
export interface LiveSession {
  /** The program's own id of the session. */
  native: string;
  /** Resolves when the turn has ended; an abort cancels it. Throws the errors below. */
  turn(prompt: Prompt, events: TurnEvents, signal: AbortSignal): Promise<TurnEnd>;
  /** After the last turn: what the program still has to write of it is on the disk when this resolves. */
  close?(): Promise<void>;
}

/** What every driver needs to open a session. */
export interface DriverNeeds {
  clock: Clock;
  /**
   * Starts the program with more arguments; `line` gets what it writes. `module`: the text of a JavaScript
   * module for it, whose path becomes the last argument.
   */
  start(line: (text: string) => void, args?: readonly string[], module?: string): Promise<RunningProgram>;
  cwd: string;
  /** The text of a file of the folder, for a program that does not read its instructions; empty for none. */
  instructionsOf(name: string): Promise<string>;
  /** The session to continue, by the program's own id; null for a new one. */
  resume: string | null;
  /** The mode in which it asks before it acts; null for a program that has none and is told otherwise. */
  mode: string | null;
}

/** Opens a session in one protocol. Throws the errors below, `sessionLost` only where it has done nothing. */
export type OpenDriver = (needs: DriverNeeds) => Promise<LiveSession>;

/** Why a coding agent does not answer; the caller reads the message. */
export const runtimeErrors = createErrors({
  unavailable: { code: 'RUNTIME_UNAVAILABLE', message: 'The coding agent cannot be started' },
  signIn: { code: 'RUNTIME_SIGN_IN', message: 'The coding agent is not signed in on this machine' },
  sessionLost: {
    code: 'RUNTIME_SESSION_LOST',
    message: 'The coding agent does not know this conversation any more',
  },
  failed: { code: 'RUNTIME_FAILED', message: 'The coding agent ended in the middle of its work' },
  mismatch: {
    code: 'RUNTIME_MISMATCH',
    message: 'The coding agent did something else than it asked about, and was stopped',
  },
});
