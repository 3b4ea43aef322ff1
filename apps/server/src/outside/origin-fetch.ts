/** Why a request to the one origin was refused. */
export class OriginError extends Error {
  readonly why: 'origin' | 'redirect';
  constructor(why: OriginError['why'], cause?: unknown) {
    super(why === 'origin' ? 'Another origin than that of the server' : 'A redirect is not followed', {
      cause,
    });
    this.why = why;
  }
}

const isRedirect = (error: unknown) =>
  error instanceof TypeError && error.cause instanceof Error && error.cause.message === 'unexpected redirect';

/**
 * The fetch for a server that the owner has set, which may be in the network of this one: requests, and with
 * them a key, go to `origin` alone and follow no redirect. Throws an `OriginError` for both.
 */
export const createOriginFetch =
  (origin: string): typeof fetch =>
  async (input, options) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== origin) throw new OriginError('origin');
    try {
      return await fetch(url, { ...options, redirect: 'error' });
    } catch (error) {
      throw isRedirect(error) ? new OriginError('redirect', error) : error;
    }
  };
