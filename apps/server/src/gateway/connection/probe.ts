import type { Clock } from '@drawbridge/kit';
import type { GatewayLimits } from '../limits.ts';

export interface ProbeNeeds {
  clock: Clock;
  limits: GatewayLimits;
  send(id: number): void;
  /** The reader is dead. Called once, after the probe has stopped. */
  dead(): void;
}

/**
 * The kernel buffers writes for a quarter of an hour, so the reader answers the probe by a post. One that
 * never has stays: a buffering proxy can hold the probe back from a live daemon.
 */
export const createProbe = ({ clock, limits, send, dead }: ProbeNeeds) => {
  let sent = 0;
  let sentAt = 0;
  let latencyMs: number | null = null;
  let lastAnswer = 0;
  let stop = () => {};
  const ask = () => {
    sent += 1;
    sentAt = clock.now();
    send(sent);
  };
  const tick = () => {
    if (lastAnswer > 0 && sent - lastAnswer >= limits.maxUnanswered) {
      stop();
      return dead();
    }
    ask();
  };
  return {
    start: () => {
      stop = clock.every(limits.probeEveryMs, tick);
      ask();
    },
    answered: (id: number) => {
      if (id <= sent) lastAnswer = Math.max(lastAnswer, id);
      if (id === sent) latencyMs = clock.now() - sentAt;
    },
    /** How long the newest answered probe took; null before the first answer. */
    latencyMs: () => latencyMs,
    stop: () => stop(),
  };
};

/** Asks a stream's reader whether it is there. */
export type Probe = ReturnType<typeof createProbe>;
