export { createGateway, type GatewayNeeds, type Pairing } from './create-gateway.ts';
export type { CallOptions, ConfirmationKey, DaemonSide, DaemonStream, Gateway, UserSide } from './gateway.ts';
export { defaultLimits, type GatewayLimits } from './limits.ts';
export type { ModuleFacts } from './settings.ts';
