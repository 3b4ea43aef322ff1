import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { describeWith } from '../../../../../e2e/services.ts';
import {
  connect,
  openGateway,
  question,
  text,
  type FakeStream,
  type GatewayFixture,
  callerOf,
} from '../../../test/gateway-fixture.ts';
import { createWriteCheck } from '../../db/index.ts';
import { mountSmallDisk, type SmallDisk } from '../../../test/small-disk.ts';

const ended = { door: 'trpc', until: 'ended' } as const;
const long = 'x'.repeat(100_000);
const write = { name: 'write_file', arguments: { text: long } };
const unavailable = { code: 'STORE_UNAVAILABLE' };
const idOf = (stream: FakeStream, at = -1) => stream.requests().at(at)?.requestId ?? 'none';

describeWith('mount')('PS-06 on a disk that is really full', () => {
  let disk: SmallDisk;
  let fixture: GatewayFixture;
  beforeAll(() => {
    disk = mountSmallDisk(8) ?? expect.fail();
  });
  afterEach(async () => {
    disk.empty();
    await fixture.close();
  });
  afterAll(() => disk.remove());

  const begin = async (userId: string) => {
    fixture = await openGateway({ folder: disk.folder });
    const { key, stream } = await connect(fixture.gateway, userId);
    const call = async () => {
      const run = callerOf(fixture.gateway, userId).run(write, ended);
      run.catch(() => {});
      await fixture.clock.settle();
      return { run, requestId: idOf(stream) };
    };
    return { ...fixture, key, stream, call };
  };

  it('a new call is refused and never sent; reads continue; it recovers without a restart', async () => {
    const { gateway, key, stream, call } = await begin('ada');
    const { run, requestId } = await call();
    await gateway.daemon.respond(key, requestId, text('first'));
    expect(await run).toMatchObject({ state: 'succeeded' });
    disk.fill();
    await expect(callerOf(gateway, 'ada').run(write, ended)).rejects.toMatchObject(unavailable);
    expect(stream.requests()).toHaveLength(1);
    expect((await gateway.calls.list('ada', { limit: 9 })).calls).toMatchObject([{ requestId }]);
    expect(await gateway.calls.get('ada', requestId)).toMatchObject({ result: text('first').result });
    disk.empty();
    const again = await call();
    await gateway.daemon.respond(key, again.requestId, text('again'));
    expect(await again.run).toMatchObject({ state: 'succeeded' });
  });

  it('the check of `/health` fails while it is full, and the log says so once', async () => {
    const { clock, database } = await begin('eve');
    const lines: string[] = [];
    const log = {
      error: (_what: object, line: string) => void lines.push(line),
      info: (line: string) => void lines.push(line),
    };
    const canWrite = createWriteCheck({ clock, log, db: database.db });
    const later = async () => {
      clock.advance(5_000);
      return canWrite();
    };
    expect(await canWrite()).toBe(true);
    disk.fill();
    expect(await canWrite()).toBe(true);
    expect([await later(), await later()]).toEqual([false, false]);
    disk.empty();
    expect(await later()).toBe(true);
    expect(lines).toEqual([expect.stringContaining('cannot be written'), 'the store can be written again']);
  });

  it('only acknowledged writes are there after a crash', async () => {
    const { gateway, key, call, crash } = await begin('ben');
    const [taken, kept] = [await call(), await call()];
    expect(await gateway.daemon.respond(key, taken.requestId, text('taken'))).toEqual({ ok: true });
    disk.fill();
    const bring = () => gateway.daemon.respond(key, kept.requestId, text(long));
    await expect(bring()).rejects.toMatchObject(unavailable);
    await expect(gateway.daemon.respond(key, kept.requestId, question())).rejects.toMatchObject(unavailable);
    disk.empty();
    fixture = await crash();
    expect(await fixture.gateway.calls.get('ben', taken.requestId)).toMatchObject({
      state: 'succeeded',
      result: text('taken').result,
    });
    expect(await fixture.gateway.calls.get('ben', kept.requestId)).toMatchObject({
      state: 'delivered',
      result: null,
    });
    expect(await fixture.gateway.confirmations.list('ben')).toEqual([]);
    expect(await fixture.gateway.daemon.respond(key, kept.requestId, text(long))).toEqual({ ok: true });
  });

  it('a rejected result is accepted once there is space, without a restart', async () => {
    const { gateway, key, call } = await begin('cem');
    const { run, requestId } = await call();
    disk.fill();
    const bring = () => gateway.daemon.respond(key, requestId, text(long));
    await expect(bring()).rejects.toMatchObject(unavailable);
    await expect(bring()).rejects.toMatchObject(unavailable);
    expect(await gateway.calls.get('cem', requestId)).toMatchObject({ state: 'delivered' });
    disk.empty();
    expect(await bring()).toEqual({ ok: true });
    expect(await run).toMatchObject({ state: 'succeeded' });
    expect(await bring()).toEqual({ ok: true, duplicate: true });
  });
});
