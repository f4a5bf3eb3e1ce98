// Decodes MessagePack values with @msgpack/msgpack; input and output as those of decode.py.
"use strict";
const fs = require("fs");
const { encode, decode, encodeTimestampExtension, ExtData } = require("@msgpack/msgpack");

const hex = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
const options = { useBigInt64: true };

function text(value) {
  if (value === null) return "nil";
  if (typeof value === "boolean") return value ? "true" : "false";
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") {
    if (Number.isNaN(value)) return "NaN";
    if (Number.isInteger(value) && Math.abs(value) < 2 ** 53 && !Object.is(value, -0)) return value.toString();
    const bits = Buffer.alloc(8);
    bits.writeDoubleBE(value);
    return "f" + bits.toString("hex");
  }
  if (typeof value === "string") return "s" + Buffer.from(value, "utf8").toString("hex");
  if (value instanceof Uint8Array) return "b" + hex(value);
  if (value instanceof ExtData) return "x" + value.type + ":" + hex(value.data);
  if (value instanceof Date) return "x-1:" + hex(encodeTimestampExtension(value));
  if (Array.isArray(value)) return "[" + value.map(text).join(",") + "]";
  if (Object.getPrototypeOf(value) === Object.prototype) return "{" + Object.entries(value).map(([key, item]) => text(key) + "," + text(item)).join(",") + "}";
  throw new Error("unknown value " + Object.prototype.toString.call(value));
}

const lines = [];
const say = (value) => lines.push(text(value) + "\t" + hex(encode(value, options)));
const data = fs.readFileSync(process.argv[2]);
const values = [];
for (let at = 0; at < data.length; ) {
  const length = data.readUInt32BE(at);
  values.push(decode(data.subarray(at + 4, at + 4 + length), options));
  at += 4 + length;
}
values.forEach(say);

// The first value is a book: [whether it has references, [number, title, pages, price, in print, sold, authors, id, cover]].
const book = values[0][1];
book.splice(1, 6, "by another \u20ac", 70000, 2.75, false, 2n ** 40n, ["x", "y".repeat(300)]);
book[8] = Uint8Array.from({ length: 200 }, (_, index) => index);
say(values[0]);
for (const value of [0, 1, -1, 127, 128, 255, 256, -32, -33, -128, -129, 65535, 65536, 2 ** 31 - 1, -(2 ** 31), 1.5, -0.25, 1e300, true, false, "", "text", "\u20ac".repeat(20), "z".repeat(40), "z".repeat(300), "z".repeat(70000), new Uint8Array(0), new Uint8Array([0, 1]), new Uint8Array(300).fill(113), new Uint8Array(70000).fill(113)]) {
  say(value);
}
process.stdout.write(lines.join("\n") + "\n");
