import { sessionProofHeader } from '@drawbridge/contracts/accounts';
import { createStored } from './stored.ts';

const name = 'drawbridge-session-proof';

/** The proof beside the session cookie. Another port of the host cannot read this origin's storage. */
export const sessionProof = {
  ...createStored(name),
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
