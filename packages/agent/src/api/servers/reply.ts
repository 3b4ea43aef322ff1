import { CodedError } from '@drawbridge/kit';
import { z } from 'zod';
import type { RequestEnd, RequestEvent } from '../../engine/lanes/request.ts';

const replySchema = z.object({
  error: z
    .object({
      code: z.string(),
      message: z.string(),
      fix: z.string().optional(),
      retryAfterSeconds: z.number().optional(),
    })
    .optional(),
  value: z.unknown().optional(),
  events: z.array(z.looseObject({ type: z.string() })).default([]),
  end: z.looseObject({ outcome: z.string() }).optional(),
});

/** What the driver of a thread says to a command. */
export interface Reply {
  error?: CodedError;
  value?: unknown;
  /** What has happened to a message so far, and how it ended. */
  events: RequestEvent[];
  end?: RequestEnd;
}

export const writeReply = ({ error, value, events, end }: Partial<Reply>): string =>
  JSON.stringify({
    ...(error && {
      error: {
        code: error.code,
        message: error.message,
        fix: error.fix,
        retryAfterSeconds: error.retryAfterSeconds,
      },
    }),
    value,
    events,
    end,
  });

export const readReply = (text: string): Reply => {
  const { error, value, events, end } = replySchema.parse(JSON.parse(text));
  const { code = '', message = '', fix, retryAfterSeconds } = error ?? {};
  return {
    ...(error && {
      error: new CodedError(code, message, {
        ...(fix !== undefined && { fix }),
        ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      }),
    }),
    value,
    // Written by `writeReply` on another server.
    events: events as RequestEvent[],
    ...(end && { end: end as RequestEnd }),
  };
};
