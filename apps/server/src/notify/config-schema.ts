import { z } from 'zod';
import { serviceUrl, setting } from '../program/setting.ts';

const file = z.string().min(1).max(4_096);
const appleId = z.string().regex(/^[A-Z\d]{10}$/, 'must be 10 capital letters and digits');

export const notifyConfig = z.object({
  fcmKeyFile: setting(
    'FCM_KEY_FILE',
    'The file with the key (JSON) of a service account of a Firebase project. With it nodes that have a push token of FCM get questions.',
    file.optional(),
  ),
  apnsKeyFile: setting(
    'APNS_KEY_FILE',
    'The file with a key (`.p8`) of Apple for its push service. With it nodes that have a push token of APNs get questions.',
    file.optional(),
  ),
  apnsKeyId: setting('APNS_KEY_ID', 'The id of that key.', appleId.optional()),
  apnsTeamId: setting('APNS_TEAM_ID', 'The id of the team that it belongs to.', appleId.optional()),
  apnsTopic: setting(
    'APNS_TOPIC',
    'The bundle id of the app whose tokens they are.',
    z
      .string()
      .regex(/^[\w.-]{1,155}$/, 'must be a bundle id')
      .optional(),
  ),
  apnsUrl: setting(
    'APNS_URL',
    "The address of Apple's push service; `https://api.sandbox.push.apple.com` for apps in development.",
    serviceUrl.prefault('https://api.push.apple.com'),
  ),
});

export type NotifyEnvironment = z.output<typeof notifyConfig>;

/** What does not fit together; null where it does. */
export const apnsProblem = ({ apnsKeyFile, ...each }: NotifyEnvironment): string | null =>
  apnsKeyFile === undefined || (each.apnsKeyId && each.apnsTeamId && each.apnsTopic)
    ? null
    : 'APNS_KEY_FILE: needs APNS_KEY_ID, APNS_TEAM_ID and APNS_TOPIC';
