// Calls a cache server by @grpc/grpc-js: node client.js ADDRESS PROTOS [AUTHORITY [CERTIFICATE KEY]]. It prints "ok" when all is as it must be.
'use strict';
const assert = require('assert');
const fs = require('fs');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');

const [address, protos, authority, certificate, key] = process.argv.slice(2);
const options = { includeDirs: [protos], longs: String, enums: String, defaults: true, oneofs: true, keepCase: true };
const files = ['pile/v1/entries.proto', 'pile/v1/tables.proto', 'pile/v1/status.proto'];
const pile = grpc.loadPackageDefinition(loader.loadSync(files, options)).pile.v1;
const read = (path) => (path ? fs.readFileSync(path) : null);
const credentials = authority ? grpc.credentials.createSsl(read(authority), read(key), read(certificate)) : grpc.credentials.createInsecure();
const settings = { 'grpc.max_receive_message_length': -1, 'grpc.keepalive_time_ms': 1000, 'grpc.keepalive_permit_without_calls': 1 };
const entries = new pile.Entries(address, credentials, settings);
const zipped = new pile.Entries(address, credentials, { ...settings, 'grpc.default_compression_algorithm': 2 });
const tables = new pile.Tables(address, credentials, settings);
const call = (client, method, request, more = {}) =>
  new Promise((done, failed) => client[method](request, new grpc.Metadata(), more, (error, reply) => (error ? failed(error) : done(reply))));
const b = (text) => Buffer.from(text);
const lengths = (parts) => parts.map((part) => part.length);

async function single() {
  assert.strictEqual((await call(entries, 'Set', { key: b('a'), value: b('one') })).outcome, 'OUTCOME_INSERTED');
  const found = await call(entries, 'Get', { key: b('a'), want_version: true });
  assert.strictEqual(found.found && found.value.toString(), 'one');
  const change = { key: b('a'), value: b('two'), version: found.version };
  assert.strictEqual((await call(entries, 'CompareAndSet', change)).outcome, 'OUTCOME_REPLACED');
  assert.strictEqual((await call(entries, 'CompareAndSet', change)).outcome, 'OUTCOME_REFUSED');
  assert.strictEqual((await call(entries, 'Increment', { key: b('n'), by: -7 })).value, '-7');
  assert.strictEqual((await call(entries, 'Remove', { key: b('a') })).outcome, 'OUTCOME_REMOVED');
  assert.strictEqual((await call(entries, 'Get', { key: b('a') })).found, false);
  assert.deepStrictEqual((await call(tables, 'List', {})).tables, ['default']);
  const all = await Promise.all(Array.from({ length: 1000 }, (_, at) => call(entries, 'Set', { key: b('k' + at), value: b('v' + at) })));
  assert(all.every((reply) => reply.outcome === 'OUTCOME_INSERTED'));
}

async function errors() {
  const failure = await call(entries, 'Get', { key: b('a'), table: 'nothing' }).then(() => null, (error) => error);
  assert.strictEqual(failure.code, grpc.status.NOT_FOUND);
  assert(failure.details.includes("no table 'nothing'"));
  assert(failure.metadata.get('pile-error-bin')[0].includes("no table 'nothing'"));
  const late = await call(entries, 'Get', { key: b('a') }, { deadline: Date.now() - 1 }).then(() => null, (error) => error);
  assert.strictEqual(late.code, grpc.status.DEADLINE_EXCEEDED);
  const unserved = await call(entries, 'GetOrLease', { key: b('a') }).then(() => null, (error) => error);
  assert.strictEqual(unserved.code, grpc.status.UNIMPLEMENTED);
}

async function batches() {
  const keys = [b('k1'), b('none'), b('k999')];
  const reply = await call(entries, 'GetMany', { id: 5, key_lengths: lengths(keys), keys: Buffer.concat(keys) });
  assert.deepStrictEqual([reply.id, reply.value_lengths, reply.values.toString()], ['5', [3, 0, 5], 'v1v999']);
  const stream = entries.Batches();
  const replies = new Map();
  const ended = new Promise((done, failed) => {
    stream.on('data', (data) => replies.set(Number(data[data.reply].id), data));
    stream.on('end', done);
    stream.on('error', failed);
  });
  for (let id = 1; id <= 200; id++) {
    stream.write({ get: { id, key_lengths: lengths(keys), keys: Buffer.concat(keys), table: id === 77 ? 'nothing' : '' } });
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
    const chunks = entries.SetLarge((error, reply) => (error ? failed(error) : done(reply)));
    chunks.write({ head: { key: b('chunks'), value_bytes: 400000 }, chunk: value.subarray(0, 200000) });
    chunks.write({ chunk: value.subarray(0, 200000) });
    chunks.end();
  });
  assert.strictEqual((await sent).outcome, 'OUTCOME_INSERTED');
  let bytes = 0;
  for await (const chunk of entries.GetLarge({ key: b('chunks') })) {
    bytes += chunk.chunk.length;
  }
  assert.strictEqual(bytes, 400000);
  const cancelled = entries.Batches();
  const end = new Promise((done) => cancelled.on('error', done));
  cancelled.write({ get: { id: 1 } });
  cancelled.cancel();
  assert.strictEqual((await end).code, grpc.status.CANCELLED);
}

single().then(errors).then(batches).then(large).then(
  () => { console.log('ok'); process.exit(0); },
  (error) => { console.error(error); process.exit(1); });
