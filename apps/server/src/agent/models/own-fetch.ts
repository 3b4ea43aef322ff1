import { ModelError } from '@drawbridge/agent';
import { abortableBody } from '../../abortable-body.ts';

const isRedirect = (error: unknown) =>
  error instanceof TypeError && error.cause instanceof Error && error.cause.message === 'unexpected redirect';

/** Counts the bytes of a body while they are read. */
const counted = (response: Response, onBytes: OnBytes, signal: AbortSignal): Response => {
  if (response.body === null) return response;
  const body = abortableBody(response.body, signal, {
    transform: (bytes, controller) => {
      onBytes(bytes.length);
      controller.enqueue(bytes);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
};

type OnBytes = (count: number) => void;

/** What counts the bytes of an answer, by the signal of its request. */
const counters = new WeakMap<AbortSignal, OnBytes>();

export const countBytes = (signal: AbortSignal, onBytes: OnBytes): void => void counters.set(signal, onBytes);

/**
 * The fetch of a provider: requests, and with them the key, go to `origin` alone and follow no redirect.
 * Throws `ModelError` `request` for another address.
 */
export const createOwnFetch =
  (origin: string): typeof fetch =>
  async (input, options) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== origin)
      throw new ModelError('request', `The model's server is ${origin}, and no other host is asked.`);
    try {
      const response = await fetch(url, { ...options, redirect: 'error' });
      const { signal } = options ?? {};
      const onBytes = signal && counters.get(signal);
      return onBytes ? counted(response, onBytes, signal) : response;
    } catch (error) {
      if (!isRedirect(error)) throw error;
      throw new ModelError(
        'request',
        'The server of the model redirects, which is not followed. Correct its URL.',
      );
    }
  };
