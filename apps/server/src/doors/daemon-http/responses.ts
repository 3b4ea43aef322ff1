import type { ResponsesReply } from '@drawbridge/contracts/daemon-reply';
import { daemonSurface, type ResponseBody } from '@drawbridge/contracts/daemon-surface';
import { requestId } from '@drawbridge/contracts/ids';
import { z } from 'zod';
import { errors } from '../../errors.ts';
import type { DaemonSession } from '../../gateway/index.ts';
import { requestIdOf, toErrorReply } from '../../http/index.ts';
import type { PostRequest } from './daemon-post.ts';

type Verdict = ResponsesReply['responses'][number];
type Read =
  | { kind: 'answer'; requestId: string; body: ResponseBody }
  | { kind: 'refused'; requestId: string | null; error: unknown };

const named = z.object({ requestId });

/**
 * What is wrong with one is said of it in the order in which it would be alone: what it says, then of which
 * call.
 */
const readEntry = (value: unknown): Read => {
  try {
    const body = daemonSurface.response.body.parse(value);
    return { kind: 'answer', requestId: requestIdOf(value), body };
  } catch (error) {
    return { kind: 'refused', requestId: named.safeParse(value).data?.requestId ?? null, error };
  }
};

const refusal = (request: PostRequest, id: string | null, cause: unknown): Verdict => {
  const { status, body } = toErrorReply(cause instanceof Error ? cause : errors.internal({ cause }), request);
  return { requestId: id, status, ...body };
};

/** A batch of results, each handled as one that comes alone. */
export const answerResponses = async (
  daemon: Pick<DaemonSession, 'respondAll'>,
  request: PostRequest,
): Promise<ResponsesReply> => {
  const read = daemonSurface.responses.body.parse(request.body).responses.map(readEntry);
  const answers = read.filter((entry) => entry.kind === 'answer');
  // Also without an answer: a sender without a valid key learns nothing else.
  const taken = await daemon.respondAll(request.credentials, answers);
  const verdicts = new Map(answers.map((answer, at) => [answer, taken[at]]));
  const responses = read.map((entry): Verdict => {
    if (entry.kind === 'refused') return refusal(request, entry.requestId, entry.error);
    const verdict = verdicts.get(entry);
    return verdict?.status === 'fulfilled'
      ? { requestId: entry.requestId, ...verdict.value }
      : refusal(request, entry.requestId, verdict?.reason);
  });
  return { responses };
};
