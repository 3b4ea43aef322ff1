import { daemonSurface, responsesLimits } from '@drawbridge/contracts/daemon-surface';
import type { z } from 'zod';
import type { DaemonCredentials, DaemonSession } from '../../gateway/index.ts';
import { requestIdOf } from '../../http/index.ts';
import type { DaemonPost } from './daemon-post.ts';
import { answerResponses } from './responses.ts';

const kilobyte = 1024;
const ok = { ok: true };

const define =
  <Body>(
    { body }: { body: z.ZodType<Body> },
    answer: (credentials: DaemonCredentials, body: Body, params: unknown) => Promise<object>,
  ): DaemonPost['answer'] =>
  (request) =>
    answer(request.credentials, body.parse(request.body), request.params);

/** The posts, by their names in `daemonSurface`. */
export const createDaemonPosts = (daemon: DaemonSession) =>
  ({
    // What the machine offers has changed.
    tools: { bodyLimit: 1024 * kilobyte, answer: define(daemonSurface.tools, daemon.setTools) },
    // The result of a call.
    response: {
      answer: define(daemonSurface.response, (credentials, body, params) =>
        daemon.respond(credentials, requestIdOf(params), body),
      ),
    },
    // Several results, each handled as one that came alone.
    responses: {
      bodyLimit: responsesLimits.maxBytes,
      answer: (request) => answerResponses(daemon, request),
    },
    // How far a call is.
    progress: {
      bodyLimit: 512 * kilobyte,
      answer: define(daemonSurface.progress, (credentials, body, params) =>
        daemon.progress(credentials, requestIdOf(params), body),
      ),
    },
    // The reader of the stream is there.
    probe: {
      answer: define(daemonSurface.probe, (credentials, { id }) =>
        daemon.probe(credentials, id).then(() => ok),
      ),
    },
    // What a daemon says of its rules.
    rules: {
      bodyLimit: 2048 * kilobyte,
      answer: define(daemonSurface.rules, (credentials, body, params) =>
        daemon.rules(credentials, requestIdOf(params), body).then(() => ok),
      ),
    },
    // What a daemon says of its processes in the background.
    processes: {
      bodyLimit: 1024 * kilobyte,
      answer: define(daemonSurface.processes, (credentials, body, params) =>
        daemon.processes(credentials, requestIdOf(params), body).then(() => ok),
      ),
    },
    // What a daemon says of its coding agents.
    runtimes: {
      answer: define(daemonSurface.runtimes, (credentials, body, params) =>
        daemon.runtimes(credentials, requestIdOf(params), body).then(() => ok),
      ),
    },
    // Open questions that the rules of the machine cover now.
    settled: {
      bodyLimit: 512 * kilobyte,
      answer: define(daemonSurface.settled, async (credentials, body) => ({
        ...ok,
        settled: await daemon.settled(credentials, body),
      })),
    },
    // The machine ends its pairing (specification 7), or goes offline and keeps it.
    disconnect: {
      answer: define(daemonSurface.disconnect, async (credentials, body) => {
        await (body?.keepSession === true ? daemon.leave(credentials) : daemon.disconnect(credentials));
        return ok;
      }),
    },
  }) satisfies Record<string, DaemonPost>;

export type DaemonPosts = ReturnType<typeof createDaemonPosts>;
