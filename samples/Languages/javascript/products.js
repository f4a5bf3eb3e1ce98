// Products in a cache server, stored by any of three languages and read by all of them:
//   node products.js set 7 "Rubber duck" 2.5 | get 7 | many 7 8 9 | lease 7 | watch 3
// The server is at PILE_ADDRESS, 127.0.0.1:7171 unless set.
'use strict';
const { status } = require('@grpc/grpc-js');
const { call, connect, described, getMany } = require('./server');
const { Moment, fromBytes, toBytes } = require('./product');

const table = 'products';
const keyOf = (id) => Buffer.from(`product:${id}`);
const server = connect(process.env.PILE_ADDRESS ?? '127.0.0.1:7171');

function made(id, name, price) {
  const now = Date.now();
  const changed = new Moment(Math.floor(now / 1000), (now % 1000) * 1_000_000);
  return { id: BigInt(id), name, price, picture: new Uint8Array([0, 127, 255]), note: null, stock: { Köln: 3n, 東京: 9007199254740993n }, tags: ['new', 'javascript'], changed };
}

function print(product) {
  const { id, name, price, picture, note, stock, tags, changed } = product;
  const places = Object.keys(stock).sort().map((place) => `${place} ${stock[place]}`);
  const moment = `${changed.seconds}.${String(changed.nanoseconds).padStart(9, '0')}`;
  console.log(`${id} ${name}: ${price}; picture ${picture ? Buffer.from(picture).toString('hex') : 'none'}; note ${note ?? 'none'}; stock ${places.join(', ')}; tags ${tags.join(', ')}; changed ${moment}`);
}

const printFound = (key, value) => (value === null ? console.log(`${key}: none`) : print(fromBytes(value)));

async function set(id, name, price) {
  const terms = { time_to_live_ms: 60 * 60 * 1000, tags: ['products'] };
  const { outcome } = await call(server, 'entries', 'Set', { table, key: keyOf(id), value: toBytes(made(id, name, Number(price))), terms });
  console.log(outcome);
}

async function get(id) {
  const { found, value } = await call(server, 'entries', 'Get', { table, key: keyOf(id) });
  printFound(keyOf(id), found ? value : null);
}

const many = (...ids) => getMany(server, table, ids.map(keyOf), printFound);

// One of all callers computes what is missing; the others wait for it.
async function lease(id) {
  for (;;) {
    const { answer, value, lease } = await call(server, 'entries', 'GetOrLease', { table, key: keyOf(id), wait_ms: 5000 });
    if (answer === 'value') return print(fromBytes(value));
    if (answer === 'lease') {
      const product = made(id, `Product ${id}`, 1);
      await call(server, 'entries', 'SetLeased', { table, key: keyOf(id), value: toBytes(product), lease });
      return print(product);
    }
  }
}

// Every change is told that comes after the first reply.
async function watch(count = 1) {
  const stream = server.entries.Watch({ table, prefix: keyOf('') }, server.metadata);
  let isFirst = true;
  try {
    for await (const { events, lost } of stream) {
      if (isFirst) console.log('watching');
      isFirst = false;
      if (lost) console.log('changes were lost');
      for (const { kind, key } of events.slice(0, count)) {
        console.log(`${kind} ${key}`);
        count--;
      }
      if (count === 0) stream.cancel();
    }
  } catch (error) {
    if (error.code !== status.CANCELLED) throw error;
  }
}

async function main([verb, ...words]) {
  const verbs = { set, get, many, lease, watch };
  if (!verbs[verb]) throw new Error(`${verb ?? 'Nothing'} is no verb: one of ${Object.keys(verbs).join(', ')}.`);
  if (words.length < verbs[verb].length) throw new Error(`${verb} wants ${verbs[verb].length} words, not ${words.length}.`);
  await call(server, 'tables', 'Create', { table });
  await verbs[verb](...words);
}

main(process.argv.slice(2))
  .catch((error) => {
    console.error(described(error));
    process.exitCode = 1;
  })
  .finally(() => [server.entries, server.tables].forEach((client) => client.close()));
