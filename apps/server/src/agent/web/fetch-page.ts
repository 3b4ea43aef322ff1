import { WebError, type WebPort } from '@drawbridge/agent';
import type { Clock } from '@drawbridge/kit';
import { createDeadline, systemNetwork, type Network } from '../../outside/index.ts';
import { createExtract, type Extract, type ExtractLimits } from './extract.ts';
import { addressRefusal, createGuardedFetch, type FetchedBody, type FetchLimits } from './guarded-fetch.ts';

/** A fetch with all its redirects, and the reading of the page. */
const totalMs = 30_000;

const html = /^(text\/html|application\/xhtml\+xml)$/;
const text = /^(text\/.+|application\/(json|xml|javascript|x-ndjson|yaml|x-yaml|toml)|.+\+(json|xml))$/;
const startsAsHtml = /^\s*(<!doctype html|<html|<head|<body)/i;

const charsetInPage = /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{1,40})/i;

const decode = ({ contentType, bytes }: FetchedBody): string => {
  const start = bytes.subarray(0, 1_024).toString('latin1');
  const charset = /charset\s*=\s*"?([\w-]{1,40})/i.exec(contentType) ?? charsetInPage.exec(start);
  try {
    return new TextDecoder(charset?.[1] ?? 'utf-8').decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
};

const readBody = async (body: FetchedBody, extract: Extract, signal: AbortSignal) => {
  const url = body.url.href;
  const [type = ''] = body.contentType.split(';');
  const mediaType = type.trim().toLowerCase();
  const page = decode(body);
  const isKnown = mediaType === '' || html.test(mediaType) || text.test(mediaType);
  if (!isKnown || page.includes('\0'))
    throw new WebError(
      `The address leads to a file and not to a page of text${type && ` (${mediaType.slice(0, 80)})`}.`,
    );
  if (html.test(mediaType) || (mediaType === '' && startsAsHtml.test(page)))
    return { url, ...(await extract(page, url, signal)) };
  return { url, title: '', markdown: page };
};

interface Needs {
  clock: Clock;
  outside?: Network;
  fetchLimits?: FetchLimits;
  extractLimits?: ExtractLimits;
}

/** The pages of the internet. `close` ends its connections. */
export const createWeb = (needs: Needs): WebPort & { close(): Promise<void> } => {
  const { clock, outside = systemNetwork, fetchLimits, extractLimits } = needs;
  const guarded = createGuardedFetch(outside, fetchLimits);
  const extract = createExtract({ clock, ...(extractLimits && { limits: extractLimits }) });

  return {
    refusal: addressRefusal,
    fetch: async (url, { mayFollow, signal }) => {
      const reason = new WebError(`The page took longer than ${totalMs / 1_000} seconds.`);
      const deadline = createDeadline({ clock, ms: totalMs, reason }, signal);
      try {
        const fetched = await guarded.fetch(url, { mayFollow, signal: deadline.signal });
        if (fetched.kind === 'redirect') return fetched;
        return { kind: 'page', page: await readBody(fetched.body, extract, deadline.signal) };
      } finally {
        deadline.stop();
      }
    },
    close: guarded.close,
  };
};
