export { createGateway } from './create-gateway.ts';
export type { DaemonSide, DaemonStream, Gateway, Proof, UserSide } from './gateway.ts';
export { defaultLimits, type GatewayLimits } from './limits.ts';
