import type { FetchLike } from '@modelcontextprotocol/client';
import { createOriginFetch, limited } from '../../outside/index.ts';

/** One answer: a page of the list of tools, or the result of a call. */
const maxReplyBytes = 1024 * 1024;

async function* reporting(body: AsyncIterable<Uint8Array>, failed: (error: unknown) => void) {
  try {
    yield* limited(body, maxReplyBytes);
  } catch (error) {
    failed(error);
    throw error;
  }
}

interface Needs {
  /** The only origin that is asked. */
  origin: string;
  /** An answer that broke off or is too long: the client itself would wait for its rest. */
  failed(error: unknown): void;
}

/**
 * A fetch for one server of the owner: no redirect, and answers of limited length. The stream of
 * notifications is not opened; lists are read again instead.
 */
export const createLimitedFetch = ({ origin, failed }: Needs): FetchLike => {
  const fetchOrigin = createOriginFetch(origin);
  return async (input, init) => {
    if (init?.method === 'GET') return new Response(null, { status: 405 });
    const response = await fetchOrigin(input, init);
    if (response.body === null) return response;
    const report = (error: unknown) => {
      if (init?.signal?.aborted !== true) failed(error);
    };
    const { status, statusText, headers } = response;
    return new Response(ReadableStream.from(reporting(response.body, report)), {
      status,
      statusText,
      headers,
    });
  };
};
