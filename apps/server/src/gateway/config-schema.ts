import { z } from 'zod';
import { keyText, setting, whole } from '../program/setting.ts';

const megabyte = 1024 * 1024;
const dayMs = 24 * 60 * 60 * 1_000;

export const gatewayConfig = z.object({
  gatewayApiKey: setting(
    'GATEWAY_API_KEY',
    'A fixed key for one machine of the owner, at least 32 characters. Also read as `N8N_INSTANCE_AI_GATEWAY_API_KEY`.',
    keyText.optional(),
  ),
  /** Null: none. */
  fallbackDirectory: setting(
    'GATEWAY_FALLBACK_DIRECTORY',
    'Folder that the panel shows when no machine is connected.',
    z.string().min(1).nullable().default(null),
  ),
  /** Null: none. */
  localGatewayDir: setting(
    'LOCAL_GATEWAY_DIR',
    "A folder on the server's own machine that the server offers to its owner, with a daemon of its own. It must not contain `DATA_DIR`, nor lie in it, and a home folder is refused.",
    z.string().min(1).nullable().default(null),
  ),
  daemonCommand: setting(
    'DAEMON_COMMAND',
    'The command that the panel shows. `{url}`, `{token}` and `{daemon}`, the address of the packed daemon with its version, are filled in; `{flags}` becomes `--allow-insecure-http` where the server is reached by http from another machine.',
    z.string().includes('{url}').includes('{token}').prefault('npx --yes {daemon} {url} {token} {flags}'),
  ),
  sessionKeyIdleMs: setting(
    'SESSION_KEY_IDLE_DAYS',
    'Days without use after which a machine must be paired again.',
    whole(1, 3_650)
      .transform((days) => days * dayMs)
      .prefault('30'),
  ),
  /** Null: forever. */
  keepCallsMs: setting(
    'KEEP_CALLS_DAYS',
    'Days after which a completed call is deleted, with its questions; 0 keeps calls forever.',
    whole(0, 36_500)
      .transform((days) => (days === 0 ? null : days * dayMs))
      .prefault('90'),
  ),
  machinesPerUser: setting(
    'MACHINES_PER_USER',
    'The number of machines that one person may have.',
    whole(1, 1_000).prefault('20'),
  ),
  callMaxMs: setting(
    'CALL_MAX_MS',
    'The longest that one tool call may take, in milliseconds.',
    whole(30_000, 86_400_000).prefault('600000'),
  ),
  storedBytesPerDay: setting(
    'STORED_BYTES_PER_DAY',
    'Bytes of arguments and results that the calls of one access token, client or signed-in user may store in a day (UTC); beyond it new calls are refused with `STORED_TOO_MUCH`.',
    whole(megabyte, 1_024 * 1_024 * megabyte).prefault(String(2_048 * megabyte)),
  ),
  diskFloorBytes: setting(
    'DISK_FLOOR_BYTES',
    'Free bytes on the disk of the store below which new calls are refused with `DISK_ALMOST_FULL`; 0: never.',
    whole(0, 999_999_999_999_999).prefault(String(256 * megabyte)),
  ),
  resultMaxBytes: setting(
    'RESULT_MAX_BYTES',
    'The largest result of a tool call, in bytes.',
    whole(1_024, 256 * megabyte).prefault(String(16 * megabyte)),
  ),
});
