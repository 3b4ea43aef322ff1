import { createFakeClock, type FakeClock } from '@drawbridge/kit';
import { RouterLinkStub } from '@vue/test-utils';
import { EventSource } from 'eventsource';
import { createPinia, setActivePinia, type Pinia } from 'pinia';
import { createApp, type App } from 'vue';
import { apiKey, clockKey, createApi, type Api } from '../src/api/index.ts';
import { startFixture, type Fixture, type World } from './fixture-server.ts';
import { worldOf } from './worlds.ts';

export interface Bench {
  api: Api;
  clock: FakeClock;
  fixture: Fixture;
  pinia: Pinia;
  app: App;
  /** What `mount` needs so that components find the API and the clock. */
  global: { plugins: Pinia[]; provide: Record<symbol, unknown> };
  close(): Promise<void>;
}

/** The panel's API over a fixture on a real socket. */
export const apiFor = (origin: string): Api =>
  // The ponyfill's class has the browser's shape; its types only differ in name.
  createApi({ origin, EventSource: EventSource as unknown as typeof globalThis.EventSource });

/** A fixture, an API to it, a clock that stands still, and stores that use both. */
export const setBench = async (change: Partial<World> = {}): Promise<Bench> => {
  const clock = createFakeClock();
  const fixture = await startFixture(worldOf(change));
  const api = apiFor(fixture.origin);
  const pinia = createPinia();
  const app = createApp({});
  app.use(pinia).provide(apiKey, api).provide(clockKey, clock);
  setActivePinia(pinia);
  return {
    api,
    clock,
    fixture,
    pinia,
    app,
    global: { plugins: [pinia], provide: { [apiKey]: api, [clockKey]: clock } },
    close: () => fixture.close(),
  };
};

/** What `mount` needs for a part that asks nothing of a server: new stores, and links that lead nowhere. */
export const onClock = (clock: FakeClock) => ({
  plugins: [createPinia()],
  provide: { [clockKey]: clock },
  stubs: { RouterLink: RouterLinkStub },
});
