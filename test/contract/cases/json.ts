import type { WireCase } from '../support/wire-case.js'
import { malformed, ok, one, seen } from '../support/wire-case.js'

const nested = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)

const taken = (body: string): WireCase => one(`ready with ${body || 'no body'}`, 'POST /ready', body, ok())
const refused = (body: string): WireCase => one(`ready with ${body}`, 'POST /ready', body, malformed)
const refusedBytes = (name: string, latin1: string): WireCase =>
  one(name, 'POST /ready', { body: { latin1 } }, malformed)

/** Bodies as JSON: which are read, and which are refused. */
export const jsonCases: readonly WireCase[] = [
  ...['', ' ', '\n', '{}', ' {} ', '\t{\r\n}\n'].map(taken),

  // Only an object is a message.
  ...['[]', '[{}]', 'null', 'true', '1', '-1', '"x"', '""', 'x', 'NaN', 'a=b', '<xml/>', '---\n{}'].map(refused),

  // Only the first value is read.
  ...['{}{}', '{} {}', '{}x', '{} x', '{},', '{}null', '{}]', '{}}', '{}\u0000', '{}\ufeff', '{}//x'].map(taken),
  ...['{"a":1}}', '{"a":1}\n{"b":2}\n', '{}\n{', '{"a":"}"}}', '{"a":"\\"}"}}'].map(taken),

  // The value must be complete.
  ...['{', '}', '{"a', '{"a"', '{"a":', '{"a":1', '{"a":"', '{"a":"x', '{"a":"x\\', '{"a":"x\\"}', '{"a":{}'].map(
    refused,
  ),

  // Brackets must match.
  ...['{]', '{"a":[}', '{"a":[}]', '{"a":{]}', '{"a":]}'].map(refused),

  // Its syntax must be right.
  ...["{'a':1}", '{a:1}', '{"a"}', '{"a":}', '{"a":1,}', '{,}', '{"a" 1}', '{"a"::1}', '{"a":1 "b":2}'].map(refused),
  ...['{"a":1;"b":2}', '{"a":[1,]}', '{"a":[,]}', '{"a":01}', '{"a":+1}', '{"a":.5}', '{"a":5.}', '{"a":1e}'].map(
    refused,
  ),
  ...['{"a":-}', '{"a":NaN}', '{"a":0x10}', '{"a":nul}', '{"a":True}', '{"a":"\\x41"}', '{"a":"\\u00"}'].map(refused),
  ...['{"a":"\t"}', '{"a":"\n"}', '{"a":"\u0000"}', '{"a":"\\\'"}'].map(refused),

  // White space and comments around it.
  ...['\ufeff{}', '\u00a0{}', '\u000b{}', '\u000c{}', '//x\n{}', '/*x*/{}', '{"a":/**/1}'].map(refused),

  // Unknown fields may hold anything.
  ...['{"a":1}', '{"a":null}', '{"a":{"b":[1,"2",null,{"c":true}]}}', '{"a":1,"a":2}', '{"":1}', '{"@type":"x"}'].map(
    taken,
  ),
  ...['{"__proto__":1}', '{"constructor":{}}', '{"a":1e999}', '{"a":-0}', `{"a":${'1234567890'.repeat(5)}}`].map(taken),
  ...['{"a":"\\u0041\\/"}', '{"a":"\u007f"}', '{"a":"\u2028"}', '{"a":"é"}', '{"é":1}', '{"a":",:{"}'].map(taken),

  // No string may hold half of a surrogate pair.
  ...['{"a":"\\ud83d\\ude00"}', '{"a":"\\\\ud83d"}', '{"a":"\\uD83D\\uDE00\\n"}'].map(taken),
  ...['{"a":"\\ud83d"}', '{"a":"\\ude00"}', '{"a":"\\ude00\\ud83d"}', '{"a":"\\ud83d x"}'].map(refused),
  ...['{"a":"\\ud83d\\n"}', '{"a":"\\ud83dx\\ude00"}', '{"\\ud83d":1}', '{"a":[{"b":"\\ud83d"}]}'].map(refused),

  ...[100, 5000, 10_000].map((depth) => one(`an object nested ${depth} deep`, 'POST /ready', nested(depth), ok())),
  one('an object nested 10001 deep', 'POST /ready', nested(10_001), malformed),
  one('more brackets than any nesting', 'POST /ready', '{"a":' + '['.repeat(1_000_000), malformed),

  refusedBytes('invalid UTF-8 in a string', '{"a":"\xff"}'),
  refusedBytes('invalid UTF-8 in a key', '{"\xff":1}'),
  refusedBytes('invalid UTF-8 outside', '\xff{}'),
  refusedBytes('an encoded surrogate', '{"a":"\xed\xa0\x80"}'),
  refusedBytes('UTF-16', '\xff\xfe{\x00}\x00'),
  one(
    'a chunked body',
    'PUT /metadata/label',
    { body: '{"key":"a","value":"b"}', chunked: true },
    ok(),
    seen({ labels: { 'agones.dev/sdk-a': 'b' } }),
  ),
  one('a chunked body that is empty', 'POST /ready', { body: '', chunked: true }, ok()),
  one('a chunked body that is malformed', 'POST /ready', { body: '{"a', chunked: true }, malformed),
]
