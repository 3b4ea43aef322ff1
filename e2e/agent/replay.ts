import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { ScriptedRequest, Turn } from './scripted-model.ts';

const exchange = z.object({
  path: z.string(),
  request: z.looseObject({
    messages: z.array(z.unknown()).default([]),
    tools: z.array(z.unknown()).default([]),
  }),
  status: z.number(),
  contentType: z.string(),
  body: z.string(),
});

/** The exchanges of a folder that `AGENT_RECORD` named, in their order. */
export const recordedIn = (folder: string) =>
  readdirSync(folder)
    .toSorted()
    .map((name) => exchange.parse(JSON.parse(readFileSync(join(folder, name), 'utf8'))));

/** Answers a request like the first recorded one with as many messages; a title is asked for without tools. */
export const replayOf = (folder: string) => {
  const left = recordedIn(folder);
  return ({ path, body, tools }: ScriptedRequest): Turn => {
    const at = left.findIndex(
      ({ path: to, request }) =>
        to === path &&
        request.messages.length === body.messages.length &&
        request.tools.length > 0 === tools.length > 0,
    );
    const [found] = at < 0 ? [] : left.splice(at, 1);
    if (!found)
      return { status: 400, body: { error: { message: 'Nothing was recorded for this request.' } } };
    return { status: found.status, headers: { 'content-type': found.contentType }, body: found.body };
  };
};
