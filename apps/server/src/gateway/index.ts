export { createGateway } from './create-gateway.ts';
export type {
  CallClaim,
  DaemonSide,
  DaemonStream,
  Gateway,
  MachineView,
  Proof,
  UserSide,
} from './gateway.ts';
export { defaultLimits, type GatewayLimits } from './limits.ts';
export { isWithinScopes } from './tool-groups.ts';
