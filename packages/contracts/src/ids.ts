import { z } from 'zod';

/** Identifies a tool call in every process: the server's time, then nanoid with 128 bits; URL-safe. */
export const requestId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);

/** An id that is chosen for a new call: its time in base 36, and at least 22 random characters. */
export const chosenCallId = z.string().regex(/^[0-9a-z]{9}[A-Za-z0-9_-]{22,55}$/);

/** One question to the user about one tool call. */
export const confirmationId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);

/** A paired machine: the row that keys, calls and the connection belong to. */
export const machineId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);

const longestName = 32;

/** Names with another meaning. */
const reservedNames = new Set(['all']);

/** The user's name for a machine; unique per user. */
export const machineName = z
  .string()
  .regex(/^[a-z0-9-]{1,32}$/, 'must have 1 to 32 lower-case letters, digits and hyphens')
  .refine((name) => !reservedNames.has(name), 'is reserved');

/** The name after `@`, up to the first dot. */
const suggestedName = (hostIdentifier: string): string => {
  const host = hostIdentifier.slice(hostIdentifier.lastIndexOf('@') + 1).split('.')[0] ?? '';
  const name = host
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, longestName);
  return machineName.safeParse(name).success ? name : 'machine';
};

/** A name for a new machine that is not in `taken`: the host's, else with `-2`, `-3`, … */
export const newMachineName = (hostIdentifier: string, taken: ReadonlySet<string>): string => {
  const base = suggestedName(hostIdentifier);
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `-${number}`;
    const name = `${base.slice(0, longestName - suffix.length)}${suffix}`;
    if (!taken.has(name)) return name;
  }
};

/** One-time pairing token for `init`, valid for 5 minutes. Specification 4.3. */
export const pairingToken = z.string().regex(/^gw_[A-Za-z0-9_-]{32}$/);

/** The credential of a paired daemon until an explicit disconnect. Specification 4.3. */
export const sessionKey = z.string().regex(/^sess_[A-Za-z0-9_-]{32}$/);

/** The user of `GATEWAY_API_KEY`. Specification 2. */
export const envGatewayUserId = 'env-gateway';

/** Times between processes are ISO 8601 in UTC. */
export const isoTime = z.iso.datetime();
