import { ModelError } from '@drawbridge/agent';
import { createOriginFetch, OriginError } from '../../outside/index.ts';

/** The head of an answer. `request`: the body that was sent, in JSON. */
export interface AnswerHead {
  path: string;
  request: string;
  status: number;
  contentType: string;
}

/** What sees an exchange with a model while it happens. */
export interface Observer {
  answered(head: AnswerHead): void;
  bytes(piece: Uint8Array): void;
}

/** Shows a body to the observer while it is read. */
const observed = (response: Response, observer: Observer): Response => {
  if (response.body === null) return response;
  const look = new TransformStream<Uint8Array, Uint8Array>({
    transform: (bytes, controller) => {
      observer.bytes(bytes);
      controller.enqueue(bytes);
    },
  });
  const body = response.body.pipeThrough(look);
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
};

/** By the signal of the request. */
const observers = new WeakMap<AbortSignal, Observer>();

export const observe = (signal: AbortSignal, observer: Observer): void =>
  void observers.set(signal, observer);

/**
 * The fetch of a provider: requests, and with them the key, go to `origin` alone and follow no redirect.
 * Throws `ModelError` `request` for another address.
 */
export const createOwnFetch = (origin: string): typeof fetch => {
  const fetchOrigin = createOriginFetch(origin);
  return async (input, options) => {
    try {
      const response = await fetchOrigin(input, options);
      const { signal, body } = options ?? {};
      const observer = signal && observers.get(signal);
      if (!observer) return response;
      observer.answered({
        path: new URL(input instanceof Request ? input.url : input).pathname,
        request: typeof body === 'string' ? body : 'null',
        status: response.status,
        contentType: response.headers.get('content-type') ?? '',
      });
      return observed(response, observer);
    } catch (error) {
      if (!(error instanceof OriginError)) throw error;
      throw new ModelError(
        'request',
        error.why === 'origin'
          ? `The model's server is ${origin}, and no other host is asked.`
          : 'The server of the model redirects, which is not followed. Correct its URL.',
      );
    }
  };
};
