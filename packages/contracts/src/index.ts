export {
  acceptInvitationInput,
  type AcceptInvitationInput,
  createOwnerInput,
  type CreateOwnerInput,
  invitation,
  type Invitation,
  invitationLink,
  type InvitationLink,
  passwordLimits,
  setupStatus,
  type User,
  user,
} from './accounts.ts';
export {
  call,
  type Call,
  callError,
  type CallError,
  callEvent,
  type CallEvent,
  callIdInput,
  callPage,
  type CallPage,
  callState,
  type CallState,
  callStates,
  callSummary,
  type CallSummary,
  callVia,
  type CallVia,
  door,
  type Door,
  doors,
  listCallsInput,
  type ListCallsInput,
  openCallStates,
  runInput,
  type TerminalCallState,
  terminalCallStates,
} from './calls.ts';
export {
  asksClientAnnotation,
  clientInput,
  type ClientInput,
  inputArgument,
  type InputMethod,
  inputMethods,
  inputRequired,
  type InputRequired,
  inputRequiredMeta,
} from './client-input.ts';
export {
  clientIdInput,
  clientLimits,
  clientRequest,
  type ClientRequest,
  clientRequestInput,
  connectedClient,
  type ConnectedClient,
  consentBody,
  type ConsentBody,
  consentReply,
  offlineScope,
} from './clients.ts';
export {
  affectedResource,
  type AffectedResource,
  confirmationPayload,
  type ConfirmationPayload,
  preview,
  type Preview,
  reach,
  type Reach,
} from './confirmation-payload.ts';
export { confirmationText } from './confirmation-text.ts';
export {
  confirmation,
  type Confirmation,
  confirmationAnswer,
  type ConfirmationAnswer,
  confirmationEvent,
  type ConfirmationEvent,
  confirmationState,
  type ConfirmationState,
  confirmationStates,
  confirmationIdInput,
  decideInput,
  type DecideInput,
  decideReply,
  type DecideReply,
} from './confirmation.ts';
export {
  type CancelReason,
  cancelReasons,
  daemonEvent,
  type DaemonEvent,
  type DisconnectReason,
  disconnectReasons,
  probeBody,
  type ProbeBody,
  type ToolRequest,
} from './daemon-event.ts';
export { daemonFeatures, protocolRevision } from './daemon-info.ts';
export { toolCategory, type ToolCategory } from './tool-category.ts';
export { daemonPaths, daemonMounts, gatewayEpochHeader, gatewayKeyHeader } from './daemon-paths.ts';
export {
  initReply,
  type InitReply,
  okReply,
  progressReply,
  type ProgressReply,
  responseReply,
  toolsReply,
  type ToolsReply,
} from './daemon-reply.ts';
export {
  daemonInfo,
  type DaemonInfo,
  daemonSurface,
  initBody,
  type InitBody,
  noBody,
  progressBody,
  type ProgressBody,
  responseBody,
  type ResponseBody,
  toolsBody,
  type ToolsBody,
} from './daemon-surface.ts';
export {
  errorBody,
  type ErrorBody,
  type ErrorCode,
  type ErrorName,
  type ErrorRow,
  errorTable,
} from './errors.ts';
export {
  gatewayProblem,
  type GatewayProblem,
  gatewayProblems,
  gatewayState,
  type GatewayState,
  gatewayStates,
  gatewayStatus,
  type GatewayStatus,
  pairingLink,
  type PairingLink,
  restStatus,
  stateChanged,
  type StateChanged,
} from './gateway.ts';
export {
  decision,
  type Decision,
  decisions,
  defaultModes,
  denyingDecisions,
  mode,
  type Mode,
  modes,
  toolGroup,
  type ToolGroup,
  toolGroups,
} from './groups.ts';
export {
  confirmationId,
  type ConfirmationId,
  envGatewayUserId,
  isoTime,
  machineId,
  type MachineId,
  pairingToken,
  requestId,
  type RequestId,
  sessionKey,
} from './ids.ts';
export { restBase, restCallParams, restLimits, restListQuery, restSchemas } from './rest.ts';
export { type RuleList, type RulesBody, type ShownRule } from './rule-list.ts';
export { newRule, type NewRule, ruleEffects, ruleIdInput, type RulesQuery } from './rules.ts';
export {
  moduleSettings,
  type ModuleSettings,
  settings,
  type Settings,
  type UpdateSettingsInput,
  updateSettingsInput,
} from './settings.ts';
export {
  accessToken,
  type AccessToken,
  createdToken,
  type CreatedToken,
  createTokenInput,
  type CreateTokenInput,
  tokenIdInput,
  tokenLimits,
  tokenScopes,
} from './tokens.ts';
export { confirmationArgument, toolCall, type ToolCall, toolLimits } from './tool-call.ts';
export { content, type Content, resultMeta, toolResult, type ToolResult } from './tool-result.ts';
export { tool, type Tool, toolAnnotations } from './tool.ts';
