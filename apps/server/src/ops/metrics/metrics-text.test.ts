import { expect, it } from 'vitest';
import { byLabel, metricsText } from './metrics-text.ts';

it('writes the text format of Prometheus', () => {
  const text = metricsText([
    { name: 'one', type: 'gauge', help: 'One number.', values: 0 },
    {
      name: 'many_total',
      type: 'counter',
      help: 'By state.',
      values: byLabel('state', { a: 1, 'b"\\\n': 2.5 }),
    },
    { name: 'none', type: 'gauge', help: 'Not known here.', values: null },
    { name: 'empty', type: 'gauge', help: 'No state yet.', values: [] },
  ]);
  expect(text).toBe(
    `# HELP one One number.
# TYPE one gauge
one 0
# HELP many_total By state.
# TYPE many_total counter
many_total{state="a"} 1
many_total{state="b\\"\\\\\\n"} 2.5
`,
  );
});
