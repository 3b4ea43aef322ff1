import { createErrors, sleep, type Clock } from '@drawbridge/kit';
import { hasSessionBus } from './config.ts';

export type KeyStore = 'file' | 'keyring';

const errors = createErrors({
  keyringUnavailable: {
    code: 'KEYRING_UNAVAILABLE',
    message: 'The keyring of this system does not answer',
    fix: 'Unlock it, or pair again with --key-store file.',
  },
});

/** A keyring that waits for somebody to unlock it does not keep drawbridge waiting longer. */
const limitMs = 3_000;
const service = 'drawbridge';

/** Loads the native part on first use. On Linux the Secret Service: the kernel's is lost at a restart. */
export const openKeyring = ({ account, clock }: { account: string; clock: Clock }) => {
  const entry = async (name = account) => {
    const { AsyncEntry } = await import('@napi-rs/keyring');
    return new AsyncEntry(service, name, { linux: { store: 'secret-service' } });
  };

  const within = async <T>(work: Promise<T>): Promise<T> => {
    const over = new AbortController();
    const late = sleep(clock, limitMs, over.signal).then(() => {
      throw new Error('no answer in time');
    });
    try {
      return await Promise.race([work, late]);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : 'no reason given';
      throw errors.keyringUnavailable({
        message: `The keyring of this system does not answer (${reason})`,
        cause,
      });
    } finally {
      over.abort();
      late.catch(() => {});
    }
  };

  const put = async (keyringEntry: Awaited<ReturnType<typeof entry>>, secret: string) => {
    await keyringEntry.setPassword(secret);
    if ((await keyringEntry.getPassword()) !== secret)
      throw new Error('it does not give back what it was given');
  };

  return {
    /** Keeps something, reads it, and takes it away again. */
    probe: () =>
      within(
        entry(`${account} (test)`).then(async (keyringEntry) => {
          await put(keyringEntry, 'test');
          await keyringEntry.deleteCredential();
        }),
      ),
    /** Whether it is worth trying, without trying. */
    isLikely: () => process.platform !== 'linux' || hasSessionBus(),
    get: () => within(entry().then((keyringEntry) => keyringEntry.getPassword())),
    set: (secret: string) => within(entry().then((keyringEntry) => put(keyringEntry, secret))),
    remove: () => within(entry().then(async (keyringEntry) => void (await keyringEntry.deleteCredential()))),
  };
};

/** One secret in the system's keyring. Each operation rejects with `keyringUnavailable` after 3 s. */
export type Keyring = ReturnType<typeof openKeyring>;
