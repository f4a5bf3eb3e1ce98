// Calls of a cache server: the contract, who calls, and the calls as promises.
'use strict';
const fs = require('fs');
const path = require('path');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');

const protos = path.join(__dirname, '..', '..', '..', 'protos');
const definitions = loader.loadSync(['pile/v1/entries.proto', 'pile/v1/tables.proto'], { includeDirs: [protos], keepCase: true, longs: String, enums: String, defaults: true, oneofs: true });
const { Entries, Tables } = grpc.loadPackageDefinition(definitions).pile.v1;

// In the clear, or by TLS where PILE_CA names the file of the authority; with the token of PILE_TOKEN where there is one.
function connect(address) {
  const { PILE_CA, PILE_TOKEN } = process.env;
  const credentials = PILE_CA ? grpc.credentials.createSsl(fs.readFileSync(PILE_CA)) : grpc.credentials.createInsecure();
  const metadata = new grpc.Metadata();
  if (PILE_TOKEN) metadata.set('authorization', `Bearer ${PILE_TOKEN}`);
  const options = { 'grpc.max_receive_message_length': -1 }; // as large as the server's replies are, beyond 4 MiB too
  return { entries: new Entries(address, credentials, options), tables: new Tables(address, credentials, options), metadata };
}

// One call, which may take ten seconds.
function call(server, service, method, request) {
  return new Promise((done, failed) => {
    server[service][method](request, server.metadata, { deadline: Date.now() + 10_000 }, (error, reply) => (error ? failed(error) : done(reply)));
  });
}

// What the server says beside the status of gRPC: its own status, the same sentence, and when to try again.
function described(error) {
  const [bytes] = error.metadata?.get('pile-error-bin') ?? [];
  if (!bytes) return error.message;
  const { status, text } = definitions['pile.v1.ErrorDetail'].deserialize(bytes);
  return `${status}: ${text}`;
}

// Keys by the batch, each batch with a number of its own; the replies may come in any order.
function getMany({ entries, metadata }, table, keys, each, size = 64) {
  return new Promise((done, failed) => {
    const stream = entries.Batches(metadata, { deadline: Date.now() + 60_000 });
    const batches = [];
    for (let first = 0; first < keys.length; first += size) batches.push(keys.slice(first, first + size));
    stream.on('data', ({ values, failure }) => {
      if (failure) return stream.destroy(new Error(failure.error.text));
      let at = 0;
      batches[Number(values.id)].forEach((key, item) => {
        const length = values.value_lengths[item]; // 0: there is none; n + 1: n bytes
        each(key, length === 0 ? null : values.values.subarray(at, at + length - 1));
        at += Math.max(length - 1, 0);
      });
    });
    stream.on('error', failed);
    stream.on('end', done);
    batches.forEach((batch, id) => stream.write({ get: { id, table, key_lengths: batch.map((key) => key.length), keys: Buffer.concat(batch) } }));
    stream.end();
  });
}

module.exports = { call, connect, described, getMany };
