export { accountHome } from './account-home.ts';
export { axeFaults, axeFaultsInThemes, contrastFaults } from './axe.ts';
export {
  lengthenTitles,
  openPage,
  otherHost,
  showTheme,
  startBrowser,
  startOwnBrowser,
  widthFaults,
} from './browser.ts';
export { createPerson, type Account, type Person } from './client.ts';
export { connectDaemon, linkOf, startDaemon, type Daemon } from './daemon.ts';
export { follow } from './follow.ts';
export { isRunning } from './is-running.ts';
export { startMachine } from './machine.ts';
export { callMcp, postMcp } from './mcp.ts';
export {
  daemonEntry,
  freePort,
  fromRoot,
  newFolder,
  chatPicturePath,
  panelNumbersPath,
  picturePath,
} from './paths.ts';
export { copyCall } from './past-calls.ts';
export { createProcesses, type Processes } from './processes.ts';
export {
  proxyNames,
  startReverseProxy,
  type ReverseProxy,
  type ReverseProxyOptions,
} from './reverse-proxy.ts';
export { openPersonRpc, openRpc, type RpcClient, type RpcFrame } from './rpc.ts';
export { owner, setupToken, startServer, type Server } from './server.ts';
export { until } from './until.ts';
export { answer, ended, questionOf, run, textOf } from './calls.ts';
