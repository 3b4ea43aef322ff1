import type { Failure } from './connection.ts';

/** The server's answer, or why it is missing; `status` is null where no HTTP answer came. */
export type Reply<T> = { ok: true; value: T } | { ok: false; failure: Failure; status: number | null };

/** A result to post to the server: the JSON text of a `ResponseBody`. */
export interface Result {
  requestId: string;
  body: string;
}
