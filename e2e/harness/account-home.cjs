// Loaded into each program of a test run. A server writes below the home folder of its account, whatever HOME
// is: in tests that is TEST_ACCOUNT_HOME, so that the folder of the person who runs them stays as it is.
const { syncBuiltinESMExports } = require('node:module');
const os = require('node:os');

const testHome = process.env.TEST_ACCOUNT_HOME;
const isServer = /\/(apps\/server\/(dist|src)\/main\.[jt]s|tools\/run\/start\.mjs)$/.test(
  process.argv[1] ?? '',
);

if (testHome !== undefined && isServer) {
  const { homedir, userInfo } = os;
  const ownHome = userInfo().homedir;
  os.userInfo = (options) => ({ ...userInfo(options), homedir: testHome });
  os.homedir = () => (homedir() === ownHome ? testHome : homedir());
  syncBuiltinESMExports();
}
