/** Where a daemon speaks to the server, below a mount. */
export const daemonPaths = {
  init: '/init',
  tools: '/tools',
  events: '/events',
  response: '/response/:requestId',
  responses: '/responses',
  progress: '/progress/:requestId',
  probe: '/probe',
  rules: '/rules/:requestId',
  settled: '/settled',
  disconnect: '/disconnect',
} as const;

/** The two mounts of the surface; the second wraps what succeeded as `{ "data": … }`. */
export const daemonMounts = {
  bare: '/api/v1/instance-ai/gateway',
  wrapped: '/rest/instance-ai/gateway',
} as const;

/** Carries the pairing token or the session key. */
export const gatewayKeyHeader = 'x-gateway-key';

/**
 * Carries the `epoch` of the daemon's last init, with every later request. A stream of an older epoch is told
 * `replaced`; an answer of one counts only for a call that is still open and was given to it. Without it: the newest.
 */
export const gatewayEpochHeader = 'x-gateway-epoch';
