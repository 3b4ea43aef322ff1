export { createAddress, isLoopback, type Address } from './address.ts';
export { toErrorReply } from './errors.ts';
export { serveHealth } from './health.ts';
export { readJson } from './json-body.ts';
export { createLimits, type Limit, type Limits } from './limits.ts';
export { createOriginGuard, refuseBrowsers } from './origin.ts';
export { requestHeaders } from './request-headers.ts';
export { createServer } from './server.ts';
export { serveStatic } from './static.ts';
