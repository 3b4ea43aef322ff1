import { mediaTypeOf, type Clock } from '@drawbridge/kit';
import { createDeadline, createServiceFetch } from '../outside/index.ts';
import type { VoiceEnvironment } from './config-schema.ts';
import { audioTypes } from './transcribe.ts';
import { afterFailure, cooling, healthy, nextProvider, type Failure, type Health } from './next-provider.ts';

/** `opus`: in OGG, as chat platforms take voice messages. */
type SpeechFormat = 'mp3' | 'opus';

interface Speech {
  bytes: Buffer;
  /** By its bytes: a server may give another format. */
  mediaType: string;
}

interface Provider {
  /** Its host. */
  name: string;
  speak(text: string, request: { format: SpeechFormat; signal: AbortSignal }): Promise<Speech | Failure>;
}

interface SpeechHealth {
  name: string;
  isReady: boolean;
  problem: string | null;
}

interface Needs {
  clock: Clock;
  environment: VoiceEnvironment;
  /** Masks a secret in the log. */
  hide(secret: string): void;
  warn(sentence: string): void;
}

const limits = { ms: 30_000, maxBytes: 8 * 1_024 * 1_024 };
const allMs = 60_000;

const waitOf = (retryAfter: string | null): number | null =>
  /^\d{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) * 1_000 : null;

const failureOf = (status: number, headers: Headers): Failure => {
  if (status === 401 || status === 403) return { problem: 'refuses its key', waitMs: cooling.capMs };
  const waitMs = status === 429 ? waitOf(headers.get('retry-after')) : null;
  return { problem: `failed (HTTP ${status})`, waitMs };
};

const createProvider = (
  { clock }: Pick<Needs, 'clock'>,
  { url, model, voice, key }: { url: string; model: string; voice: string; key: string },
): Provider => {
  const to = new URL(`${url.replace(/\/+$/, '')}/audio/speech`);
  const request = createServiceFetch({ clock, name: 'it', origin: to.origin, limits });
  return {
    name: to.host,
    speak: async (input, { format, signal }) => {
      const reply = await request(to, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(key !== '' && { authorization: `Bearer ${key}` }),
        },
        body: JSON.stringify({ model, input, voice, response_format: format }),
        signal,
      }).catch((error: unknown) => {
        signal.throwIfAborted();
        return error instanceof Error ? error.message : 'failed';
      });
      if (typeof reply === 'string') return { problem: `gave no audio: ${reply}`, waitMs: null };
      const { status, headers, bytes } = reply;
      if (status !== 200) return failureOf(status, headers);
      const mediaType = mediaTypeOf(bytes);
      return audioTypes.includes(mediaType)
        ? { bytes, mediaType }
        : { problem: 'gave no audio', waitMs: null };
    },
  };
};

const providersOf = ({ clock, environment, hide }: Needs): Provider[] => {
  const { speechUrls = [], speechModels, speechVoices, speechKeys = [] } = environment;
  return speechUrls.map((url, at) => {
    const key = speechKeys[at] ?? '';
    if (key !== '') hide(key);
    const model = speechModels[at] ?? speechModels[0] ?? '';
    return createProvider({ clock }, { url, model, voice: speechVoices[at] ?? speechVoices[0] ?? '', key });
  });
};

/** Reads texts out, by the first API of the owner's list that works. */
export const createSpeech = (needs: Needs) => {
  const { clock, warn } = needs;
  const providers = providersOf(needs);
  const health: Health[] = providers.map(() => healthy);

  const ask = async (text: string, request: { format: SpeechFormat; signal: AbortSignal }) => {
    const asked: number[] = [];
    for (;;) {
      const startedAt = clock.now();
      const at = nextProvider(health, { now: startedAt, asked });
      const provider = at === null ? undefined : providers[at];
      if (at === null || !provider) return null;
      asked.push(at);
      const given = await provider.speak(text, request);
      const before = health[at] ?? healthy;
      if ('bytes' in given) {
        health[at] = healthy;
        return given;
      }
      health[at] = afterFailure(before, given, { startedAt, now: clock.now() });
      if (health[at] !== before) warn(`Speech: ${provider.name} ${given.problem}`);
    }
  };

  return {
    isOn: providers.length > 0,
    /**
     * Null where there is nothing to say, and where no API gives an audio within a minute. Throws the
     * reason of an aborted signal alone.
     */
    speak: async (
      markdown: string,
      { format, signal }: { format: SpeechFormat; signal: AbortSignal },
    ): Promise<Speech | null> => {
      signal.throwIfAborted();
      if (providers.length === 0) return null;
      const { toSpokenText } = await import('./spoken-text.ts');
      const text = toSpokenText(markdown);
      if (text === '') return null;
      const deadline = createDeadline({ clock, ms: allMs }, signal);
      try {
        return await ask(text, { format, signal: deadline.signal });
      } catch (error) {
        signal.throwIfAborted();
        if (deadline.isOver()) return null;
        throw error;
      } finally {
        deadline.stop();
      }
    },
    /** In their order. */
    health: (): SpeechHealth[] =>
      providers.map(({ name }, at) => {
        const { coolUntil, problem } = health[at] ?? healthy;
        return { name, isReady: coolUntil <= clock.now(), problem };
      }),
  };
};

export type SpeechService = ReturnType<typeof createSpeech>;
