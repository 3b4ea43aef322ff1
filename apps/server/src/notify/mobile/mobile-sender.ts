import type { Push } from '../send-push.ts';

/** `gone`: the service no longer has the device. */
export type Sent = { kind: 'sent' | 'gone' } | { kind: 'failed'; why: string };

/** Sends a message to the device of a token; never rejects. */
export type MobileSender = (token: string, push: Push) => Promise<Sent>;
