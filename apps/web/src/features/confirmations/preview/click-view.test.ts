import { mount } from '@vue/test-utils';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { setBench, type Bench } from '../../../../test/mounting.ts';
import { callOf, confirmationOf } from '../../../../test/worlds.ts';
import QuestionBody from '../question/question-body.vue';
import { marksOn, pointsOf } from './screen-points.ts';

const clickOf = (args: Record<string, unknown>, tool = 'mouse_click') =>
  confirmationOf({
    tool,
    arguments: args,
    toolGroup: 'computer',
    resource: 'mouse',
    resources: [],
    createdAt: '2026-01-01T12:00:00.000Z',
  });
const wide = { width: 1_024, height: 576 };
const small = { width: 800, height: 600 };

it.each([
  ['a click in the picture that was seen', { x: 511, y: 287, screenWidth: 1_024, screenHeight: 576 }, wide],
  ['a click in a larger picture', { x: 960, y: 540, screenWidth: 1_920, screenHeight: 1_080 }, wide],
  ['a click on a screen that was not shrunk', { x: 399, y: 299 }, small],
])('marks %s', (_what, args, picture) => {
  const [mark, ...others] = marksOn(clickOf(args), picture) ?? [];
  expect(others).toEqual([]);
  expect(Math.abs((mark?.x ?? 0) - picture.width / 2)).toBeLessThan(1);
  expect(Math.abs((mark?.y ?? 0) - picture.height / 2)).toBeLessThan(1);
});

it.each([
  ['pixels of a screen of unknown size', { x: 10, y: 10 }],
  ['one side only', { x: 10, y: 10, screenWidth: 1_024 }],
  ['another aspect ratio', { x: 10, y: 10, screenWidth: 1_024, screenHeight: 768 }],
  ['a side of nothing', { x: 0, y: 0, screenWidth: 0, screenHeight: 0 }],
  ['a side that is no number', { x: 0, y: 0, screenWidth: '1024', screenHeight: '576' }],
  ['a point outside', { x: 1_024, y: 10, screenWidth: 1_024, screenHeight: 576 }],
  ['a point before the start', { x: -1, y: 10, screenWidth: 1_024, screenHeight: 576 }],
])('marks nothing for %s', (_what, args) => {
  expect(marksOn(clickOf(args), wide)).toBeNull();
});

it.each([
  [clickOf({ fromX: 1, fromY: 2, toX: 3, toY: 4 }, 'mouse_drag'), 2],
  [clickOf({ fromX: 1, fromY: 2, toX: 3 }, 'mouse_drag'), 0],
  [clickOf({ x: 1, y: 2 }, 'mouse_scroll'), 1],
  [clickOf({ x: 1.5, y: 2 }), 0],
  [clickOf({ x: 1, y: 2 }, 'constructor'), 0],
  [{ ...clickOf({ x: 1, y: 2 }), toolGroup: 'mcp' }, 0],
])('reads the points of a mouse call only: %#', (asked, count) => {
  expect(pointsOf(asked)).toHaveLength(count);
});

let bench: Bench;
beforeAll(async () => (bench = await setBench()));
beforeEach(() => (bench.fixture.world.calls = []));
afterAll(() => bench.close());

const screenshotOf = (requestId: string, createdAt: string, change: Parameters<typeof callOf>[0] = {}) =>
  callOf({
    requestId,
    createdAt,
    tool: 'screen_screenshot',
    result: { content: [{ type: 'image', mimeType: 'image/jpeg', data: btoa(requestId) }] },
    ...change,
  });
const click = clickOf({ x: 511, y: 287, screenWidth: 1_024, screenHeight: 576 });
const show = (asked = click) => mount(QuestionBody, { props: { confirmation: asked }, global: bench.global });

it('shows the last screenshot of the machine from before the question, with the point marked', async () => {
  bench.fixture.world.calls = [
    screenshotOf('later', '2026-01-01T12:00:01.000Z'),
    screenshotOf('elsewhere', '2026-01-01T11:59:58.000Z', { machineId: 'm2' }),
    screenshotOf('refused', '2026-01-01T11:59:57.000Z', { state: 'denied', result: null }),
    callOf({ requestId: 'other', createdAt: '2026-01-01T11:59:56.000Z' }),
    screenshotOf('last', '2026-01-01T11:59:55.000Z'),
    screenshotOf('older', '2026-01-01T11:59:54.000Z'),
  ];
  const body = show();
  await expect.poll(() => body.find('img').exists()).toBe(true);
  const img = body.find('img');
  expect(img.attributes('src')).toBe(`data:image/jpeg;base64,${btoa('last')}`);
  expect(body.findAll('[data-test=mark]')).toEqual([]);
  Object.defineProperties(img.element, { naturalWidth: { value: 1_024 }, naturalHeight: { value: 576 } });
  await img.trigger('load');
  expect(body.find('svg').attributes('viewBox')).toBe('0 0 1024 576');
  const [mark] = body.findAll('[data-test=mark]');
  expect([mark?.attributes('cx'), mark?.attributes('cy')]).toEqual(['511.5', '287.5']);
});

it('says so where the point is in no known place of the screenshot', async () => {
  bench.fixture.world.calls = [screenshotOf('last', '2026-01-01T11:59:55.000Z')];
  const body = show(clickOf({ x: 1, y: 1 }));
  await expect.poll(() => body.find('img').exists()).toBe(true);
  const img = body.find('img');
  Object.defineProperties(img.element, { naturalWidth: { value: 1_024 }, naturalHeight: { value: 576 } });
  await img.trigger('load');
  expect(body.find('svg').exists()).toBe(false);
  expect(body.text()).toContain('The call does not say where in the screenshot this is.');
});

it.each([
  ['none within the hour before', [screenshotOf('old', '2026-01-01T10:59:59.999Z')]],
  [
    'one of a type that is not shown',
    [
      screenshotOf('svg', '2026-01-01T11:59:00.000Z', {
        result: { content: [{ type: 'image', mimeType: 'image/svg+xml', data: 'aGk=' }] },
      }),
    ],
  ],
])('shows no screenshot where there is %s', async (_what, calls) => {
  bench.fixture.world.calls = calls;
  const body = show();
  await expect
    .poll(() => body.text().includes('No screenshot of this machine in the hour before.'))
    .toBe(true);
  expect(body.find('img').exists()).toBe(false);
});

it('has no place for a screenshot in another question', () => {
  expect(
    mount(QuestionBody, { props: { confirmation: confirmationOf() } })
      .find('[data-test=screenshot]')
      .exists(),
  ).toBe(false);
});
