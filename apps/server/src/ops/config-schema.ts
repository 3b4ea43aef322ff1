import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { keyText, onOff, setting } from '../program/setting.ts';

const unitName = /^[A-Za-z0-9][A-Za-z0-9:_.@-]{0,200}\.(service|socket|timer|target|path|mount)$/;
const mostUnits = 20;

const units = z
  .string()
  .transform((text) => [...new Set(text.split(',').map((one) => one.trim()))])
  .refine(
    (all) => all.length <= mostUnits && all.every((one) => unitName.test(one)),
    `must be at most ${mostUnits} names such as nginx.service, separated by commas`,
  );

export const opsConfig = z.object({
  opsControl: setting(
    'OPS_CONTROL',
    'Whether the signed-in owner may start, stop and update services of this machine through the JSON-RPC door.',
    onOff.prefault('false'),
  ),
  metricsToken: setting(
    'METRICS_TOKEN',
    'The bearer token for `GET /metrics`, numbers of this server for Prometheus, at least 32 characters. Unset: there is no such path.',
    keyText.optional(),
  ),
  opsUnits: setting(
    'OPS_UNITS',
    'systemd units whose state and log the JSON-RPC door shows to the owner, separated by commas.',
    units.default([]),
  ),
  opsComposeFile: setting(
    'OPS_COMPOSE_FILE',
    'The Docker Compose file, as an absolute path, whose services the JSON-RPC door shows to the owner; `off`: none. Unset: a `compose.yaml` or `docker-compose.yml` of this account beside the data folder, or in the folder where the server was started.',
    z
      .string()
      .refine((file) => file === 'off' || isAbsolute(file), 'must be an absolute path, or off')
      .optional(),
  ),
});

export type OpsConfig = z.output<typeof opsConfig>;
