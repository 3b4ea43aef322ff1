import { readFile } from 'node:fs/promises';
import type { Clock } from '@drawbridge/kit';
import type { NotifyEnvironment } from '../config-schema.ts';
import type { MobileSender } from './mobile-sender.ts';

interface Needs {
  clock: Clock;
  environment: NotifyEnvironment & { googleApiUrl?: string | undefined };
  warn(sentence: string): void;
}

/** Null for a service that is not set up, or whose key cannot be read. */
export interface MobileSenders {
  fcm: MobileSender | null;
  apns: MobileSender | null;
}

/** The services for devices that have a key file. What is wrong with one is a line in the log. */
export const openMobileSenders = async ({ clock, environment, warn }: Needs): Promise<MobileSenders> => {
  const { fcmKeyFile, apnsKeyFile, apnsKeyId = '', apnsTeamId = '', apnsTopic = '' } = environment;
  const open = async (
    name: string,
    file: string | undefined,
    use: (key: string) => MobileSender | Promise<MobileSender>,
  ): Promise<MobileSender | null> => {
    if (file === undefined) return null;
    const key = await readFile(file, 'utf8').catch(() => null);
    if (key === null) warn(`${name}: the file cannot be read; nodes get no notifications by this service`);
    if (key === null) return null;
    try {
      return await use(key);
    } catch {
      warn(`${name}: the file has no key for this service; nodes get no notifications by it`);
      return null;
    }
  };
  return {
    fcm: await open('FCM_KEY_FILE', fcmKeyFile, async (json) => {
      const { openFcm } = await import('./fcm.ts');
      return openFcm({ clock, url: environment.googleApiUrl ?? null, json });
    }),
    apns: await open('APNS_KEY_FILE', apnsKeyFile, async (pem) => {
      const { openApns } = await import('./apns.ts');
      const { apnsUrl: url } = environment;
      return openApns({ clock, url, pem, keyId: apnsKeyId, teamId: apnsTeamId, topic: apnsTopic });
    }),
  };
};
