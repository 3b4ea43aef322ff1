export { limited, readLimited } from './bodies.ts';
export { createConnections, systemNetwork, type Network } from './connections.ts';
export { createDeadline } from './deadline.ts';
export { createOriginFetch, OriginError } from './origin-fetch.ts';
export { isPublicHost } from './public-host.ts';
export { createServiceFetch, type ServiceReply, type ServiceRequest } from './service-fetch.ts';
