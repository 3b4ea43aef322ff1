import { z } from 'zod';

/**
 * Names one tool call on every hop; made by the server (its time, then nanoid with 128 bits), URL-safe, 1
 * to 64 characters.
 */
export const requestId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);

/** One question to the user about one tool call. */
export const confirmationId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);

/** A paired machine: the row that keys, calls and the connection belong to. */
export const machineId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);

const longestName = 32;

/** Names that mean something else where a machine is named. */
const reservedNames = new Set(['all']);

/** What a person calls a machine; one of a name for each person. */
export const machineName = z
  .string()
  .regex(/^[a-z0-9-]{1,32}$/, 'must have 1 to 32 lower-case letters, digits and hyphens')
  .refine((name) => !reservedNames.has(name), 'is reserved');

/** The name that a host suggests: what stands behind `@`, to its first dot. */
const suggestedName = (hostIdentifier: string): string => {
  const host = hostIdentifier.slice(hostIdentifier.lastIndexOf('@') + 1).split('.')[0] ?? '';
  const name = host
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, longestName);
  return machineName.safeParse(name).success ? name : 'machine';
};

/**
 * A name for a new machine of a person who has machines of the names in `taken`: the host's, then with
 * `-2`, `-3`.
 */
export const newMachineName = (hostIdentifier: string, taken: ReadonlySet<string>): string => {
  const base = suggestedName(hostIdentifier);
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `-${number}`;
    const name = `${base.slice(0, longestName - suffix.length)}${suffix}`;
    if (!taken.has(name)) return name;
  }
};

/** One-time pairing token: `gw_` and 32 characters, good for `init` alone, 5 minutes. Specification 4.3. */
export const pairingToken = z.string().regex(/^gw_[A-Za-z0-9_-]{32}$/);

/**
 * What a paired daemon proves itself with until explicit disconnect: `sess_` and 32 characters.
 * Specification 4.3.
 */
export const sessionKey = z.string().regex(/^sess_[A-Za-z0-9_-]{32}$/);

/** The user that `GATEWAY_API_KEY` stands for. Specification 2. */
export const envGatewayUserId = 'env-gateway';

/** Times at a border are ISO 8601 in UTC. */
export const isoTime = z.iso.datetime();

export type RequestId = z.infer<typeof requestId>;
export type ConfirmationId = z.infer<typeof confirmationId>;
export type MachineId = z.infer<typeof machineId>;
