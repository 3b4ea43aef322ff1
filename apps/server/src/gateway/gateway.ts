import type { Calls } from './calls/calls.ts';
import type { Confirmations } from './confirmations/confirmations.ts';
import type { DaemonSession } from './connection/daemon-session.ts';
import type { Idempotency } from './idempotency/idempotency.ts';
import type { Machines } from './machines/machines.ts';
import type { Pairing } from './pairing/pairing.ts';
import type { Retention } from './retention/retention.ts';
import type { Rules } from './rules/rules.ts';
import type { GatewaySettings } from './settings/settings.ts';

/**
 * The core, by noun. All doors meet at `calls.run`. While the server stops, what would change something
 * throws `shuttingDown`.
 */
export interface Gateway {
  calls: Calls;
  confirmations: Confirmations;
  daemon: DaemonSession;
  idempotency: Idempotency;
  machines: Machines;
  pairing: Pairing;
  retention: Retention;
  rules: Rules;
  settings: GatewaySettings;
  /** Resumes what a stopped server left open. Call once, before the doors open. */
  start(): Promise<void>;
  /** Tells every daemon to come back later, closes their streams, cancels timers. */
  stop(): Promise<void>;
}
