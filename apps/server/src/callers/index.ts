export {
  bearerCaller,
  isOwn,
  userCaller,
  type BearerCaller,
  type Caller,
  type CallerContext,
} from './caller.ts';
export {
  cancelOwnCall,
  followCall,
  followOrCancel,
  followOwnCall,
  isOpen,
  longestWaitMs,
  ownCall,
} from './follow.ts';
export { idempotencyKey, markUndelivered, trackDelivery } from './idempotency.ts';
export {
  startCall,
  startCallOnce,
  openCallWithId,
  startCallNamed,
  type NewCall,
  type StartedCall,
} from './start.ts';
export {
  connectedTools,
  disconnectMachine,
  knownMachine,
  machineChoices,
  machineOf,
  machineStatus,
  reachOf,
  requireMachine,
} from './machine.ts';
export {
  findTool,
  groupsOfTool,
  machineToolNames,
  scopeTool,
  toolsInScope,
  type ScopedTool,
} from './tool-scope.ts';
