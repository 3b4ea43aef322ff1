import { sessionProofHeader } from '@drawbridge/contracts/accounts';

const name = 'drawbridge-session-proof';

/** Used if the browser refuses storage: the session then lasts as long as the window. */
let unstored: string | null = null;

/** The proof beside the session cookie. Another port of the host cannot read this origin's storage. */
export const sessionProof = {
  read: (): string | null => {
    try {
      return localStorage.getItem(name);
    } catch {
      return unstored;
    }
  },
  keep: (proof: string): void => {
    try {
      localStorage.setItem(name, proof);
    } catch {
      unstored = proof;
    }
  },
  forget: (): void => {
    try {
      localStorage.removeItem(name);
    } catch {
      unstored = null;
    }
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
