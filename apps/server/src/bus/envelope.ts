import { z } from 'zod';
import type { BusMessage } from '../gateway/index.ts';
import type { Sealer } from '../secrets/index.ts';

/** A change of what a message means raises it; servers drop versions that they do not know. */
const version = 1;

/**
 * `message`: for the subscribers of the topic. `echo`: a server sends it to itself, to measure the way.
 * `missed`: the sender was cut off, so that its messages may be missing.
 */
const envelope = z.object({
  v: z.literal(version),
  from: z.string(),
  /** Wall time of the sender, milliseconds since 1970. */
  sentAt: z.number(),
  kind: z.enum(['message', 'echo', 'missed']),
  message: z.looseObject({ type: z.string() }).optional(),
});

type Parsed = z.infer<typeof envelope>;

/** What travels between servers; the body is there for `message` alone. */
export interface Envelope extends Pick<Parsed, 'from' | 'sentAt' | 'kind'> {
  message?: BusMessage | undefined;
}

/** Encrypted, and bound to its topic: access to Redis alone reads nothing and forges nothing. */
export const sealEnvelope = (sealer: Sealer, topic: string, content: Envelope): string =>
  sealer.seal(JSON.stringify({ v: version, ...content }), topic);

/** Null for a text that was not sealed under this secret for this topic, or is of another version. */
export const openEnvelope = (sealer: Sealer, topic: string, text: string): Envelope | null => {
  const json = sealer.unseal(text, topic);
  if (json === null) return null;
  const read = envelope.safeParse(JSON.parse(json));
  // Sealed under the secret of this installation, so made by one of its servers.
  return read.success ? (read.data as Envelope) : null;
};
