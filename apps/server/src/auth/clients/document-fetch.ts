import { lookup } from 'node:dns/promises';
import { request, type RequestOptions } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { ClientMetadataResourceFetch } from '@better-auth/oauth-provider';
import { readLimited } from '../../limited-body.ts';
import { createPublicLookup, isPublicHost, type Resolve } from '../../public-host.ts';

/** The largest document or key set of a client, in bytes; the limits of the account library are lower. */
const mostBytes = 64 * 1024;

/** The names and connections outside of this server. */
export interface Outside {
  resolve: Resolve;
  request(
    url: URL,
    options: RequestOptions,
    answered: (response: IncomingMessage) => void,
  ): ReturnType<typeof request>;
}

export const systemOutside: Outside = {
  resolve: (hostname) => lookup(hostname, { all: true }),
  request,
};

const inside = () => new TypeError('The address is not public');

/**
 * Fetches a client's document or keys by https from the checked public addresses, without redirects.
 * Throws a `TypeError`, `RangeError` or connection error. OAuth Client ID Metadata Document, section 6.
 */
export const createDocumentFetch = (outside: Outside): ClientMetadataResourceFetch => {
  const lookupPublic = createPublicLookup(outside.resolve);

  return async (input, init) => {
    const asked = new Request(input, init);
    const url = new URL(asked.url);
    // An IP address is not looked up.
    if (url.protocol !== 'https:' || !isPublicHost(url.hostname)) throw inside();
    const options = {
      agent: false,
      headers: Object.fromEntries(asked.headers),
      lookup: lookupPublic,
      signal: asked.signal,
    };
    const response = await new Promise<IncomingMessage>((answered, failed) => {
      outside.request(url, options, answered).on('error', failed).end();
    });
    const bytes = await readLimited(response, mostBytes);
    const headers = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    );
    return new Response(bytes.length === 0 ? null : new Uint8Array(bytes), {
      status: response.statusCode ?? 0,
      headers,
    });
  };
};
