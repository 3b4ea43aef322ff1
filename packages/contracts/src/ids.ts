import { z } from 'zod';

/** Names one tool call on every hop; made by the server (its time, then nanoid with 128 bits), URL-safe, 1 to 64 characters. */
export const requestId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);

/** One question to the user about one tool call. */
export const confirmationId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);

/** A paired machine: the row that keys, calls and the connection belong to. */
export const machineId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);

/** One-time pairing token: `gw_` and 32 characters, good for `init` alone, 5 minutes. Specification 4.3. */
export const pairingToken = z.string().regex(/^gw_[A-Za-z0-9_-]{32}$/);

/** What a paired daemon proves itself with until explicit disconnect: `sess_` and 32 characters. Specification 4.3. */
export const sessionKey = z.string().regex(/^sess_[A-Za-z0-9_-]{32}$/);

/** The user that `GATEWAY_API_KEY` stands for. Specification 2. */
export const envGatewayUserId = 'env-gateway';

/** Times at a border are ISO 8601 in UTC. */
export const isoTime = z.iso.datetime();

export type RequestId = z.infer<typeof requestId>;
export type ConfirmationId = z.infer<typeof confirmationId>;
export type MachineId = z.infer<typeof machineId>;
