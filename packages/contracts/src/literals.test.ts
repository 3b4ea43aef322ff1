import { expect, it } from 'vitest';
import { passwordLimits } from './accounts.ts';
import { callStates, doors, openCallStates, terminalCallStates } from './calls.ts';
import { confirmationStates } from './confirmation.ts';
import { cancelReasons, daemonEvent, disconnectReasons } from './daemon-event.ts';
import { daemonFeatures, protocolRevision, serverFeatures } from './daemon-info.ts';
import { daemonMounts, gatewayEpochHeader, gatewayKeyHeader } from './daemon-paths.ts';
import { daemonSurface, responsesLimits } from './daemon-surface.ts';
import { gatewayProblems, gatewayStates, stateChanged } from './gateway.ts';
import { decisions, defaultModes, denyingDecisions, modes, toolGroups } from './groups.ts';
import { envGatewayUserId } from './ids.ts';
import { confirmationArgument, toolLimits } from './tool-call.ts';

it.each([
  [
    'tool groups',
    toolGroups,
    [
      'filesystemRead',
      'filesystemWrite',
      'shell',
      'network',
      'computer',
      'browser',
      'mcp',
      'runtime',
      'system',
    ],
  ],
  ['modes', modes, ['deny', 'ask', 'allow']],
  ['decisions', decisions, ['allowOnce', 'allowForSession', 'alwaysAllow', 'denyOnce', 'alwaysDeny']],
  ['denying decisions', denyingDecisions, ['denyOnce', 'alwaysDeny']],
  ['open states of a call', openCallStates, ['pending', 'delivered', 'awaiting-confirmation']],
  [
    'terminal states of a call',
    terminalCallStates,
    ['succeeded', 'failed', 'denied', 'cancelled', 'timed-out', 'lost'],
  ],
  ['all states of a call', callStates, [...openCallStates, ...terminalCallStates]],
  ['states of a confirmation', confirmationStates, ['open', 'decided', 'withdrawn', 'expired']],
  ['states of a gateway', gatewayStates, ['offline', 'online', 'grace']],
  ['doors', doors, ['trpc', 'daemon-http', 'mcp', 'rest', 'jsonrpc', 'agent']],
  [
    'features of a daemon',
    daemonFeatures,
    ['resume', 'cancel', 'progress', 'probe', 'rules', 'processes', 'tighten', 'rulings', 'runtimes'],
  ],
  ['features of a server', serverFeatures, ['responses', 'settled', 'keep-session', 'socket']],
  ['limits of several results', responsesLimits, { maxResponses: 64, maxBytes: 65_536 }],
  ['reasons to cancel', cancelReasons, ['caller', 'user', 'timeout']],
  ['reasons to disconnect', disconnectReasons, ['user', 'replaced', 'shutdown']],
  ['mounts', daemonMounts, { bare: '/api/v1/instance-ai/gateway', wrapped: '/rest/instance-ai/gateway' }],
  ['the key header', gatewayKeyHeader, 'x-gateway-key'],
  ['the epoch header', gatewayEpochHeader, 'x-gateway-epoch'],
  ['problems of a gateway', gatewayProblems, ['flapping']],
  ['the argument with the decision', confirmationArgument, '_confirmation'],
  ['the user of the static key', envGatewayUserId, 'env-gateway'],
  ['the protocol revision', protocolRevision, 1],
  ['lengths of a password', passwordLimits, { minLength: 10, maxLength: 128 }],
  [
    'limits on tools',
    toolLimits,
    {
      maxTools: 200,
      maxNameLength: 64,
      maxDescriptionLength: 20_000,
      maxSchemaDepth: 32,
      maxSchemaNodes: 1_000,
    },
  ],
  [
    'modes where nothing is set',
    defaultModes,
    {
      filesystemRead: 'allow',
      filesystemWrite: 'ask',
      shell: 'deny',
      network: 'ask',
      computer: 'deny',
      browser: 'ask',
      mcp: 'ask',
      runtime: 'deny',
      system: 'ask',
    },
  ],
  ['the event of a changed state', stateChanged.shape.type.value, 'instanceAiGatewayStateChanged'],
  [
    'events on the stream',
    daemonEvent.options.map((option) => option.shape.type.value),
    [
      'filesystem-request',
      'tool-call-cancel',
      'gateway-disconnect',
      'probe',
      'rules-request',
      'processes-request',
      'runtimes-request',
    ],
  ],
])('%s', (_name, value, expected) => {
  expect(value).toEqual(expected);
});

it('routes of the daemon', () => {
  const routes = Object.entries(daemonSurface).map(([name, { method, path }]) => [name, method, path]);
  expect(routes).toEqual([
    ['init', 'POST', '/init'],
    ['tools', 'POST', '/tools'],
    ['events', 'GET', '/events'],
    ['response', 'POST', '/response/:requestId'],
    ['responses', 'POST', '/responses'],
    ['progress', 'POST', '/progress/:requestId'],
    ['probe', 'POST', '/probe'],
    ['rules', 'POST', '/rules/:requestId'],
    ['processes', 'POST', '/processes/:requestId'],
    ['runtimes', 'POST', '/runtimes/:requestId'],
    ['settled', 'POST', '/settled'],
    ['disconnect', 'POST', '/disconnect'],
  ]);
});
