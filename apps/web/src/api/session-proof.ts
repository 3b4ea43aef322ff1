import { sessionProofHeader } from '@drawbridge/contracts/accounts';
import { createStored } from './stored.ts';

const name = 'drawbridge-session-proof';
const stored = createStored(name);

/**
 * Hands the worker the headers that answers from notifications are sent with; null: it answers nothing. The
 * worker cannot read the storage of a page.
 */
export const answerWith = async (headers: Record<string, string> | null): Promise<void> => {
  if (!('serviceWorker' in navigator)) return;
  const registration = await navigator.serviceWorker.getRegistration();
  registration?.active?.postMessage({ type: 'answer-with', headers });
};

/** The proof beside the session cookie. Another port of the host cannot read this origin's storage. */
export const sessionProof = {
  ...stored,
  /** With another session, or none, this device answers no notifications until it is switched on again. */
  write: (proof: string | null): void => {
    stored.write(proof);
    void answerWith(null).catch(() => undefined);
  },
  /** Calls `changed` when another window signs in or out. */
  onChanged: (changed: () => void): void =>
    addEventListener('storage', ({ key }) => {
      if (key === name || key === null) changed();
    }),
};

export const proofHeaders = (): Record<string, string> => {
  const proof = sessionProof.read();
  return proof === null ? {} : { [sessionProofHeader]: proof };
};
