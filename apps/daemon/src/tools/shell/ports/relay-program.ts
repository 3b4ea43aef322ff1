import { relayPort } from './sandbox-ports.ts';

/** The first line of the connection on which the daemon asks for others. */
export const controlLine = 'control';

/**
 * Runs inside. For each line `<id> <port>` it joins a connection to that port with a new one to the daemon,
 * whose first line is the id. `closed <id>`: nothing listens there.
 */
export const relayText = `
const { connect } = require('node:net');
const daemon = { host: '127.0.0.1', port: ${relayPort}, allowHalfOpen: true, noDelay: true };
const control = connect(daemon);
control.on('error', () => process.exit(0));
control.on('close', () => process.exit(0));
control.write('${controlLine}\\n');
const join = (from, to) => {
  from.pipe(to);
  from.on('error', () => to.destroy());
  from.on('close', (failed) => { if (failed) to.destroy(); });
};
const open = (id, port, [host, ...others]) => {
  const inner = connect({ host, port, allowHalfOpen: true, noDelay: true });
  const fail = () => {
    if (others.length > 0) open(id, port, others);
    else control.write('closed ' + id + '\\n');
  };
  inner.once('error', fail);
  inner.once('connect', () => {
    inner.off('error', fail);
    const outer = connect(daemon);
    outer.write(id + '\\n');
    join(inner, outer);
    join(outer, inner);
  });
};
let text = '';
control.setEncoding('latin1');
control.on('data', (chunk) => {
  const lines = (text + chunk).split('\\n');
  text = lines.pop();
  for (const line of lines) {
    const [id, port] = line.split(' ');
    open(id, Number(port), ['127.0.0.1', '::1']);
  }
});
`;
