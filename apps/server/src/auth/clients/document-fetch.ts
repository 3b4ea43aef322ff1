import type { ClientMetadataResourceFetch } from '@better-auth/oauth-provider';
import { createConnections, readLimited, type Network } from '../../outside/index.ts';

/** The largest document or key set of a client, in bytes; the limits of the account library are lower. */
const mostBytes = 64 * 1024;

/**
 * Fetches a client's document or keys by https from the checked public addresses, without redirects.
 * Throws a `TypeError`, `RangeError` or connection error. OAuth Client ID Metadata Document, section 6.
 */
export const createDocumentFetch = (network: Network): ClientMetadataResourceFetch => {
  const connections = createConnections(network, { reach: 'internet' });
  return async (input, init) => {
    const { url, headers, signal } = new Request(input, init);
    const answer = await connections.send(new URL(url), { headers: Object.fromEntries(headers), signal });
    const bytes = await readLimited(answer.body, mostBytes);
    return new Response(bytes.length === 0 ? null : new Uint8Array(bytes), {
      status: answer.statusCode,
      headers: Object.entries(answer.headers).flatMap(([name, value = []]) =>
        [value].flat().map((one): [string, string] => [name, one]),
      ),
    });
  };
};
