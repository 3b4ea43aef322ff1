import type { CallEvent, ConfirmationEvent, StateChanged } from '@drawbridge/contracts';

/** What an open panel hears. */
export interface Listener {
  onState(event: StateChanged): void;
  onCall(event: CallEvent): void;
  onConfirmation(event: ConfirmationEvent): void;
  /** All streams stand, at first or again: fetch what was missed meanwhile. */
  onUp(): void;
  /** A stream broke; all are being opened again. */
  onDown(): void;
  /** The session is over: nothing more will come. */
  onSignedOut(): void;
}
