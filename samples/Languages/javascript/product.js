// A product as bytes: an array of MessagePack whose elements stand in the order that all languages have agreed on.
'use strict';
const { ExtensionCodec, decode, decodeTimestampToTimeSpec, encode, encodeTimeSpecToTimestamp } = require('@msgpack/msgpack');

// A moment: seconds since 1970 and nanoseconds. A Date has no more than milliseconds.
class Moment {
  constructor(seconds, nanoseconds) {
    this.seconds = seconds;
    this.nanoseconds = nanoseconds;
  }
}

const extensionCodec = new ExtensionCodec();
extensionCodec.register({
  type: -1,
  encode: (value) => (value instanceof Moment ? encodeTimeSpecToTimestamp({ sec: value.seconds, nsec: value.nanoseconds }) : null),
  decode: (bytes) => {
    const { sec, nsec } = decodeTimestampToTimeSpec(bytes);
    return new Moment(sec, nsec);
  },
});

// A bigint is an integer of 64 bits, a number is a float: else 1.0 would arrive elsewhere as the integer 1, and 2 ** 53 + 1 as another number.
const options = { extensionCodec, useBigInt64: true, forceIntegerToFloat: true };

function toBytes(product) {
  const { id, name, price, picture, note, stock, tags, changed } = product;
  return Buffer.from(encode([BigInt(id), name, price, picture, note, stock, tags, changed], options));
}

function fromBytes(bytes) {
  const [id, name, price, picture, note, stock, tags, changed] = decode(bytes, options);
  // Small integers come as numbers, whatever wrote them.
  const counts = Object.fromEntries(Object.entries(stock).map(([place, count]) => [place, BigInt(count)]));
  return { id: BigInt(id), name, price, picture, note, stock: counts, tags, changed };
}

module.exports = { Moment, fromBytes, toBytes };
