// Loaded into the server before it starts: the names of a test have addresses, and what connects to them
// arrives at the test's own site. The look-up of the caller decides first, as it does outside of a test.
import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

const { names, port } = JSON.parse(process.env.TEST_NAMES ?? '{}');
const { lookup } = dns;
const { connect } = net;

/** The next list of a name's addresses; the last one stays. */
const addressesOf = (name) => (names[name].length > 1 ? names[name].shift() : names[name][0]);

dns.lookup = async (name, options) =>
  name in names ? addressesOf(name).map((address) => ({ address, family: 4 })) : lookup(name, options);

net.connect = (options, ...rest) => {
  if (typeof options?.lookup !== 'function' || !(options.host in names)) return connect(options, ...rest);
  const toSite = (name, { all, ...wanted }, done) =>
    options.lookup(name, { ...wanted, all: true }, (error) => {
      if (error) return done(error);
      const site = { address: '127.0.0.1', family: 4 };
      return all ? done(null, [site]) : done(null, site.address, site.family);
    });
  return connect({ ...options, port, lookup: toSite }, ...rest);
};
syncBuiltinESMExports();
