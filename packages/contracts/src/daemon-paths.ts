/** The paths of the daemon's requests, below a mount. */
export const daemonPaths = {
  init: '/init',
  tools: '/tools',
  events: '/events',
  response: '/response/:requestId',
  responses: '/responses',
  progress: '/progress/:requestId',
  probe: '/probe',
  rules: '/rules/:requestId',
  processes: '/processes/:requestId',
  runtimes: '/runtimes/:requestId',
  settled: '/settled',
  disconnect: '/disconnect',
} as const;

/** The two mounts; the second wraps a successful reply as `{ "data": … }`. */
export const daemonMounts = {
  bare: '/api/v1/instance-ai/gateway',
  wrapped: '/rest/instance-ai/gateway',
} as const;

/** Carries the pairing token or the session key. */
export const gatewayKeyHeader = 'x-gateway-key';

/**
 * The `epoch` of the daemon's last init; without it the newest. A stream of an older epoch receives
 * `replaced`; an answer of one counts only for an open call of its own.
 */
export const gatewayEpochHeader = 'x-gateway-epoch';
