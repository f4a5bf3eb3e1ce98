// Stores or reads many products by the code of samples/Languages/javascript: node corpus.js SAMPLE ADDRESS write|read FILE. "read" writes what it
// has found back to the file. Numbers stand in the file as text, so that none of them is changed on the way.
'use strict';
const fs = require('fs');
const path = require('path');

const [sample, address, verb, file] = process.argv.slice(2);
const { call, connect } = require(path.join(sample, 'server.js'));
const { Moment, fromBytes, toBytes } = require(path.join(sample, 'product.js'));
const server = connect(address);
const bits = new DataView(new ArrayBuffer(8));
const mapped = (counts, as) => Object.fromEntries(Object.entries(counts).map(([place, count]) => [place, as(count)]));

function priceOf(text) {
  bits.setBigUint64(0, BigInt(`0x${text}`));
  return bits.getFloat64(0);
}

function textOf(price) {
  bits.setFloat64(0, price);
  return bits.getBigUint64(0).toString(16).padStart(16, '0');
}

function productOf({ id, name, price, picture, note, stock, tags, changed }) {
  const [seconds, nanoseconds] = changed.split('.').map(Number);
  return { id: BigInt(id), name, price: priceOf(price), picture: picture === null ? null : Buffer.from(picture, 'hex'), note, stock: mapped(stock, BigInt), tags, changed: new Moment(seconds, nanoseconds) };
}

function lineOf({ id, name, price, picture, note, stock, tags, changed }) {
  const moment = `${changed.seconds}.${String(changed.nanoseconds).padStart(9, '0')}`;
  return { id: String(id), name, price: textOf(price), picture: picture === null ? null : Buffer.from(picture).toString('hex'), note, stock: mapped(stock, String), tags, changed: moment };
}

async function main() {
  const lines = JSON.parse(fs.readFileSync(file, 'utf8'));
  for (const [at, line] of lines.entries()) {
    const key = Buffer.from(`c${at}`);
    if (verb === 'write') {
      await call(server, 'entries', 'Set', { key, value: toBytes(productOf(line)) });
    } else {
      lines[at] = lineOf(fromBytes((await call(server, 'entries', 'Get', { key })).value));
    }
  }
  if (verb === 'read') fs.writeFileSync(file, JSON.stringify(lines));
}

main().finally(() => [server.entries, server.tables].forEach((client) => client.close()));
