import { proofHeaders } from './session-proof.ts';

/** Posts to a route of this server that is not a procedure; null where it does not answer or is in trouble. Never throws. */
export const postJson = async (path: string, body: object): Promise<Response | null> => {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...proofHeaders() },
    body: JSON.stringify(body),
    credentials: 'same-origin',
  }).catch(() => null);
  return response === null || response.status >= 500 ? null : response;
};
