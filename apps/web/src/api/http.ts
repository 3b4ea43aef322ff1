import { refusalIn, type Failure } from './failure.ts';
import { proofHeaders } from './session-proof.ts';

interface Request {
  method?: 'POST' | 'DELETE';
  body?: object;
}

/** A request to a route that is not a procedure. Rejects while the server is away. */
export const send = (path: string, { method, body }: Request = {}): Promise<Response> =>
  fetch(path, {
    ...(method && { method }),
    headers: { ...proofHeaders(), ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    credentials: 'same-origin',
  });

/** Why the server refused a request. Never throws. */
export const refusalOf = async (response: Response): Promise<Failure> =>
  refusalIn(await response.json().catch(() => null));
