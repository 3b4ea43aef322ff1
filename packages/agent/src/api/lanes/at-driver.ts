import type { LaneRequest } from '../../engine/lanes/request.ts';
import type { ThreadKey } from '../../rows/keys.ts';

/** `id`: of the message that it makes; a new one when undefined. */
export type Run<Body, Result> = (key: ThreadKey, body: Body, id: string | undefined) => Promise<Result>;

/** What is done by the server that drives the thread, whichever is asked. */
export interface Commands {
  define<Body, Result>(kind: string, run: Run<Body, Result>): (key: ThreadKey, body: Body) => Promise<Result>;
  /** The same for messages, which go on after they are accepted. */
  defineRequest<Body>(
    kind: string,
    run: Run<Body, LaneRequest>,
  ): (key: ThreadKey, body: Body) => Promise<LaneRequest>;
}

/** Of the only server of a store. */
export const ownCommands: Commands = {
  define: (_kind, run) => (key, body) => run(key, body, undefined),
  defineRequest: (_kind, run) => (key, body) => run(key, body, undefined),
};
