import type { FetchLike } from '@modelcontextprotocol/client';

/** One answer: a page of the list of tools, or the result of a call. */
const maxReplyBytes = 1024 * 1024;

async function* limited(body: AsyncIterable<Uint8Array>, failed: (error: unknown) => void) {
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size > maxReplyBytes) throw new RangeError('its answer is longer than 1 MiB');
      yield chunk;
    }
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
  return async (input, init) => {
    const url = new URL(input);
    if (url.origin !== origin) throw new TypeError('Another origin than that of the server');
    if (init?.method === 'GET') return new Response(null, { status: 405 });
    const response = await fetch(url, { ...init, redirect: 'error' });
    if (response.body === null) return response;
    const report = (error: unknown) => {
      if (init?.signal?.aborted !== true) failed(error);
    };
    const { status, statusText, headers } = response;
    return new Response(ReadableStream.from(limited(response.body, report)), {
      status,
      statusText,
      headers,
    });
  };
};
