// Calls a cache server by @grpc/grpc-js: node client.js PROTOS CONTRACT ADDRESS TOKEN [AUTHORITY [CERTIFICATE KEY]]. It prints "ok" when all is
// as it must be. Foreign/README.md says what it covers.
'use strict';
const assert = require('assert');
const fs = require('fs');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');

const [protos, contract, address, token, authority, certificate, key] = process.argv.slice(2);
const options = { includeDirs: [protos], longs: String, enums: String, defaults: true, oneofs: true, keepCase: true };
const files = ['entries', 'tables', 'admin', 'status'].map((name) => `pile/v1/${name}.proto`);
const definitions = loader.loadSync(files, options);
const pile = grpc.loadPackageDefinition(definitions).pile.v1;
const standard = grpc.loadPackageDefinition(loader.loadFileDescriptorSetFromBuffer(fs.readFileSync(contract), options)).grpc;
const read = (path) => (path ? fs.readFileSync(path) : null);
const credentials = authority ? grpc.credentials.createSsl(read(authority), read(key), read(certificate)) : grpc.credentials.createInsecure();
const settings = { 'grpc.max_receive_message_length': -1, 'grpc.keepalive_time_ms': 50, 'grpc.keepalive_permit_without_calls': 1 };
const entries = new pile.Entries(address, credentials, settings);
const zipped = new pile.Entries(address, credentials, { ...settings, 'grpc.default_compression_algorithm': 2 });
const tables = new pile.Tables(address, credentials, settings);
const admin = new pile.Admin(address, credentials, settings);
const soon = () => ({ deadline: Date.now() + 60000 });
const withMetadata = (client, method, request, metadata, more = soon()) =>
  new Promise((done, failed) => client[method](request, metadata, more, (error, reply) => (error ? failed(error) : done(reply))));
const call = (client, method, request, more) => withMetadata(client, method, request, new grpc.Metadata(), more);
const failure = (promise) => promise.then(() => assert.fail('no failure'), (error) => error);
const b = (text) => Buffer.from(text);
const batch = (id, keys, more = {}) => ({ id, key_lengths: keys.map((part) => part.length), keys: Buffer.concat(keys), ...more });

async function single() {
  assert.strictEqual((await call(entries, 'Set', { key: b('a'), value: b('one') })).outcome, 'OUTCOME_INSERTED');
  const found = await call(entries, 'Get', { key: b('a'), want_version: true });
  assert.strictEqual(found.found && found.value.toString(), 'one');
  const change = { key: b('a'), value: b('two'), version: found.version };
  assert.strictEqual((await call(entries, 'CompareAndSet', change)).outcome, 'OUTCOME_REPLACED');
  assert.strictEqual((await call(entries, 'CompareAndSet', change)).outcome, 'OUTCOME_REFUSED');
  assert.strictEqual((await call(entries, 'CompareAndRemove', { key: b('a'), version: found.version })).outcome, 'OUTCOME_REFUSED');
  assert.strictEqual((await call(entries, 'Increment', { key: b('n'), by: -7 })).value, '-7');
  assert.strictEqual((await call(entries, 'Refresh', { key: b('a') })).found, true);
  assert.strictEqual((await call(entries, 'Remove', { key: b('a') })).outcome, 'OUTCOME_REMOVED');
  assert.strictEqual((await call(entries, 'Get', { key: b('a') })).found, false);
  await call(entries, 'Set', { key: b('t1'), value: b('x'), terms: { tags: ['tag'] } });
  await call(entries, 'RemoveByTag', { tag: 'tag' });
  assert.strictEqual((await call(entries, 'Get', { key: b('t1') })).found, false);
  const all = await Promise.all(Array.from({ length: 1000 }, (_, at) => call(entries, 'Set', { key: b('k' + at), value: b('v' + at) })));
  assert(all.every((reply) => reply.outcome === 'OUTCOME_INSERTED'));
}

async function batches() {
  const keys = [b('k1'), b('none'), b('k999')];
  const reply = await call(entries, 'GetMany', batch(5, keys));
  assert.deepStrictEqual([reply.id, reply.value_lengths, reply.values.toString()], ['5', [3, 0, 5], 'v1v999']);
  const stored = await call(entries, 'SetMany', batch(6, [b('m1'), b('m2')], { value_lengths: [1, 0], values: b('x') }));
  assert.deepStrictEqual([stored.id, stored.outcomes], ['6', ['OUTCOME_INSERTED', 'OUTCOME_INSERTED']]);
  const removed = await call(entries, 'RemoveMany', batch(7, [b('m1'), b('m2'), b('m3')]));
  assert.deepStrictEqual(removed.outcomes, ['OUTCOME_REMOVED', 'OUTCOME_REMOVED', 'OUTCOME_MISSING']);
  const stream = entries.Batches(soon());
  const replies = new Map();
  const ended = new Promise((done, failed) => {
    stream.on('data', (data) => replies.set(Number(data[data.reply].id), data));
    stream.on('end', done);
    stream.on('error', failed);
  });
  for (let id = 1; id <= 200; id++) {
    stream.write({ get: batch(id, keys, { table: id === 77 ? 'nothing' : '' }) });
  }
  stream.end();
  await ended;
  assert.strictEqual(replies.size, 200);
  assert.strictEqual(replies.get(77).failure.code, grpc.status.NOT_FOUND);
  assert.strictEqual(replies.get(200).values.values.toString(), 'v1v999');
}

async function large() {
  const value = Buffer.alloc(10 * 1000 * 1000, 'x');
  await call(zipped, 'Set', { key: b('large'), value });
  assert((await call(zipped, 'Get', { key: b('large') })).value.equals(value));
  const sent = new Promise((done, failed) => {
    const chunks = entries.SetLarge(soon(), (error, reply) => (error ? failed(error) : done(reply)));
    chunks.write({ head: { key: b('chunks'), value_bytes: 400000 }, chunk: value.subarray(0, 200000) });
    chunks.write({ chunk: value.subarray(0, 200000) });
    chunks.end();
  });
  assert.strictEqual((await sent).outcome, 'OUTCOME_INSERTED');
  let bytes = 0;
  for await (const chunk of entries.GetLarge({ key: b('chunks') }, soon())) {
    bytes += chunk.chunk.length;
  }
  assert.strictEqual(bytes, 400000);
}

async function scansAndTables() {
  let found = 0;
  let cursor = b('');
  do {
    const page = await call(entries, 'Scan', { prefix: b('k'), entries_max: 300, cursor });
    found += page.entries.length;
    cursor = page.cursor;
  } while (cursor.length > 0);
  assert.strictEqual(found, 1000);
  assert.strictEqual((await call(tables, 'Create', { table: 't', options: { kind: 'TABLE_KIND_DURABLE' } })).created, true);
  assert.deepStrictEqual((await call(tables, 'List', {})).tables, ['default', 't']);
  assert.strictEqual((await call(tables, 'Describe', { table: 't' })).options.kind, 'TABLE_KIND_DURABLE');
  await call(tables, 'Clear', { table: 't' });
  assert.strictEqual((await call(tables, 'Drop', { table: 't' })).dropped, true);
}

async function leasesAndWatch() {
  const watch = entries.Watch({ prefix: b('leased') }, soon());
  const replies = watch[Symbol.asyncIterator]();
  assert((await replies.next()).value.resume.length > 0); // from here on changes are told
  const first = await call(entries, 'GetOrLease', { key: b('leased') });
  assert.strictEqual(first.answer, 'lease');
  assert.strictEqual((await call(entries, 'GetOrLease', { key: b('leased') })).answer, 'taken');
  assert.strictEqual((await call(entries, 'EndLease', { key: b('leased'), lease: first.lease })).was_held, true);
  const second = await call(entries, 'GetOrLease', { key: b('leased') });
  const stored = { key: b('leased'), value: b('x'), lease: second.lease };
  assert.strictEqual((await call(entries, 'SetLeased', stored)).outcome, 'OUTCOME_INSERTED');
  assert.strictEqual((await call(entries, 'SetLeased', stored)).outcome, 'OUTCOME_REFUSED');
  assert.strictEqual((await call(entries, 'GetOrLease', { key: b('leased') })).value.toString(), 'x');
  let events = [];
  while (events.length === 0) {
    events = (await replies.next()).value.events;
  }
  assert.deepStrictEqual([events[0].kind, events[0].key.toString()], ['KIND_SET', 'leased']);
  const end = new Promise((done) => watch.on('error', done));
  watch.cancel();
  assert.strictEqual((await end).code, grpc.status.CANCELLED);
}

// The server counts a call as failed when it has ended it: it has seen what ended the call here.
async function waitForFailedCalls(count) {
  const end = Date.now() + 60000;
  while (Number((await call(tables, 'Stats', {})).failed_calls) < count) {
    assert(Date.now() < end, `the server saw fewer than ${count} calls fail`);
  }
}

async function errors() {
  const metadata = new grpc.Metadata();
  metadata.set('x-sent-bin', Buffer.from([0, 0xff, 0x2c, 0x3d, 0x25, 0x0a]));
  const missing = await failure(withMetadata(entries, 'Get', { key: b('a'), table: 'nothing' }, metadata));
  assert.strictEqual(missing.code, grpc.status.NOT_FOUND);
  const details = definitions['pile.v1.ErrorDetail'].deserialize(missing.metadata.get('pile-error-bin')[0]);
  assert.deepStrictEqual([details.status, details.text], ['PILE_STATUS_REFUSED', missing.details]);
  assert(details.text.includes("no table 'nothing'"));
  assert.strictEqual((await failure(call(entries, 'Get', { key: b('a') }, { deadline: Date.now() - 1 }))).code, grpc.status.DEADLINE_EXCEEDED);
  const before = Number((await call(tables, 'Stats', {})).failed_calls);
  // Of calls whose requests have ended: node ends the requests of others before it resets them, and the server may see that as their end.
  let reached = false; // a busy machine may pass the deadline before the call is sent: then a longer one
  for (let wait = 300; !reached; wait *= 4) {
    assert(wait < 60000, 'the server answered no call');
    const ending = entries.Watch({}, { deadline: Date.now() + wait });
    ending.on('metadata', () => { reached = true; });
    ending.on('data', () => {});
    assert.strictEqual((await new Promise((done) => ending.on('error', done))).code, grpc.status.DEADLINE_EXCEEDED);
  }
  await waitForFailedCalls(before + 1);
  const seen = Number((await call(tables, 'Stats', {})).failed_calls);
  const cancelled = entries.Watch({}, soon());
  cancelled.on('data', () => {});
  const end = new Promise((done) => cancelled.on('error', done));
  await new Promise((done) => cancelled.on('metadata', done));
  cancelled.cancel();
  assert.strictEqual((await end).code, grpc.status.CANCELLED);
  await waitForFailedCalls(seen + 1);
}

async function admins() {
  assert.strictEqual((await failure(call(admin, 'Verify', {}))).code, grpc.status.UNAUTHENTICATED);
  const metadata = new grpc.Metadata();
  metadata.set('authorization', 'Bearer ' + token);
  assert.strictEqual((await withMetadata(admin, 'Verify', {}, metadata)).is_good, true);
  await withMetadata(admin, 'Checkpoint', {}, metadata);
  await withMetadata(admin, 'Compact', {}, metadata);
  assert(Number((await withMetadata(admin, 'Copy', { name: 'copy' }, metadata)).segments) > 0);
}

async function reflection(version) {
  const client = new standard.reflection[version].ServerReflection(address, credentials, settings);
  const stream = client.ServerReflectionInfo(soon());
  const answers = stream[Symbol.asyncIterator]();
  stream.write({ list_services: '' });
  const names = (await answers.next()).value.list_services_response.service.map((service) => service.name);
  ['pile.v1.Entries', 'pile.v1.Tables', 'pile.v1.Admin', 'grpc.health.v1.Health'].forEach((name) => assert(names.includes(name), name));
  stream.write({ file_containing_symbol: 'pile.v1.Entries' });
  assert((await answers.next()).value.file_descriptor_response.file_descriptor_proto.length > 0);
  stream.end();
  assert.strictEqual((await answers.next()).done, true);
}

// A stream stays open while the connection is pinged every 50 ms: neither side may end it for that.
async function healthAndPings() {
  const health = new standard.health.v1.Health(address, credentials, settings);
  assert.strictEqual((await call(health, 'Check', {})).status, 'SERVING');
  const watch = health.Watch({}, soon());
  const end = new Promise((done) => watch.on('error', done));
  assert.strictEqual((await new Promise((done) => watch.on('data', done))).status, 'SERVING');
  const changed = await new Promise((done) => health.getChannel().watchConnectivityState(grpc.connectivityState.READY, Date.now() + 1000, (late) => done(!late)));
  assert.strictEqual(changed, false);
  watch.cancel();
  assert.strictEqual((await end).code, grpc.status.CANCELLED);
  assert.strictEqual((await call(entries, 'Get', { key: b('k1') })).found, true);
}

async function all() {
  for (const part of [single, batches, large, scansAndTables, leasesAndWatch, errors, admins, () => reflection('v1'), () => reflection('v1alpha'), healthAndPings]) {
    await part();
  }
}

all().then(
  () => { console.log('ok'); process.exit(0); },
  (error) => { console.error(error); process.exit(1); });
