import type { Answer, WireCase } from '../support/wire-case.js'
import { fails, invalid, notFound, ok, one, refused, rooms, seen, step, wrongMethod } from '../support/wire-case.js'

const form = { 'Content-Type': 'application/x-www-form-urlencoded' }

/** A write that acts as ever. */
const write = (headers: Record<string, string | null>): WireCase => {
  const name = `a write with ${JSON.stringify(headers)}`
  const body = '{"key":"a","value":"b"}'
  const after = seen({ labels: { 'agones.dev/sdk-a': 'b' } })
  return one(name, 'PUT /metadata/label', { headers, body }, ok(), after)
}

/** A read with these headers, and its answer where it is not the usual one. */
const read = (headers: Record<string, string>, expect: Answer = ok(rooms())): WireCase =>
  one(`a read with ${JSON.stringify(headers)}`, 'GET /v1beta1/counters/rooms', { headers }, expect)

/** What request headers change, and what they do not. */
export const headerCases: readonly WireCase[] = [
  write({ 'Content-Type': null }),
  write({ 'Content-Type': 'text/plain' }),
  write({ 'Content-Type': 'text/plain;charset=UTF-8' }),
  write({ 'Content-Type': 'application/json; charset=utf-8' }),
  write({ 'Content-Type': 'application/json;charset=utf-16' }),
  write({ 'Content-Type': 'multipart/form-data; boundary=x' }),
  write({ 'Content-Type': 'application/grpc' }),
  write({ 'Content-Type': 'application/octet-stream' }),
  write({ 'Content-Type': 'application/x-protobuf' }),
  write({ 'Content-Type': 'not a type' }),
  write({ 'Content-Type': 'text/html' }),
  write({ 'Content-Type': '*/*' }),
  read({ Accept: 'text/plain' }),
  read({ Accept: 'text/plain;charset=UTF-8' }),
  read({ Accept: 'application/json; charset=utf-8' }),
  read({ Accept: 'application/json;charset=utf-16' }),
  read({ Accept: 'multipart/form-data; boundary=x' }),
  read({ Accept: 'application/grpc' }),
  read({ Accept: 'application/octet-stream' }),
  read({ Accept: 'application/x-protobuf' }),
  read({ Accept: 'text/html' }),
  read({ Accept: '*/*' }),
  one(
    'a form POST with a charset is no form',
    'POST /gameserver',
    { headers: { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' }, body: '' },
    wrongMethod,
  ),
  one(
    'a form POST to an unknown path',
    'POST /nope',
    { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: '' },
    notFound,
  ),
  one(
    'a form POST to a PUT path',
    'POST /metadata/label',
    { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'key=a&value=b' },
    wrongMethod,
    seen(),
  ),
  one(
    'a form POST to a POST path is parsed as JSON',
    'POST /reserve',
    { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: '{"seconds":"0"}' },
    ok(),
    seen({ state: 'Reserved' }),
  ),
  one(
    'a form POST to a POST path: no JSON',
    'POST /reserve',
    { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'seconds=5' },
    invalid("invalid character 's' looking for beginning of value"),
    seen(),
  ),
  write(form),
  one(
    'X-HTTP-Method-Override: PATCH with JSON is ignored',
    'POST /v1beta1/counters/rooms',
    { headers: { 'X-HTTP-Method-Override': 'PATCH' }, body: '{"count":"5"}' },
    wrongMethod,
  ),
  one(
    'X-HTTP-Method-Override: PATCH in a form',
    'POST /v1beta1/counters/rooms',
    {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'X-HTTP-Method-Override': 'PATCH' },
      body: '',
    },
    ok(rooms('1')),
  ),
  one(
    'X-HTTP-Method-Override: patch with JSON is ignored',
    'POST /v1beta1/counters/rooms',
    { headers: { 'X-HTTP-Method-Override': 'patch' }, body: '{"count":"5"}' },
    wrongMethod,
  ),
  one(
    'X-HTTP-Method-Override: patch in a form',
    'POST /v1beta1/counters/rooms',
    {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'X-HTTP-Method-Override': 'patch' },
      body: '',
    },
    ok(rooms('1')),
  ),
  one(
    'X-HTTP-Method-Override: PUT with JSON is ignored',
    'POST /v1beta1/counters/rooms',
    { headers: { 'X-HTTP-Method-Override': 'PUT' }, body: '{"count":"5"}' },
    wrongMethod,
  ),
  one(
    'X-HTTP-Method-Override: PUT in a form',
    'POST /v1beta1/counters/rooms',
    {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'X-HTTP-Method-Override': 'PUT' },
      body: '',
    },
    wrongMethod,
  ),
  one(
    'X-HTTP-Method-Override: GET with JSON is ignored',
    'POST /v1beta1/counters/rooms',
    { headers: { 'X-HTTP-Method-Override': 'GET' }, body: '{"count":"5"}' },
    wrongMethod,
  ),
  one(
    'X-HTTP-Method-Override: GET in a form',
    'POST /v1beta1/counters/rooms',
    {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'X-HTTP-Method-Override': 'GET' },
      body: '',
    },
    ok(rooms('1')),
  ),
  one(
    'X-HTTP-Method-Override: DELETE with JSON is ignored',
    'POST /v1beta1/counters/rooms',
    { headers: { 'X-HTTP-Method-Override': 'DELETE' }, body: '{"count":"5"}' },
    wrongMethod,
  ),
  one(
    'X-HTTP-Method-Override: DELETE in a form',
    'POST /v1beta1/counters/rooms',
    {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'X-HTTP-Method-Override': 'DELETE' },
      body: '',
    },
    wrongMethod,
  ),
  one(
    'X-HTTP-Method-Override: nonsense with JSON is ignored',
    'POST /v1beta1/counters/rooms',
    { headers: { 'X-HTTP-Method-Override': 'nonsense' }, body: '{"count":"5"}' },
    wrongMethod,
  ),
  one(
    'X-HTTP-Method-Override: nonsense in a form',
    'POST /v1beta1/counters/rooms',
    {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'X-HTTP-Method-Override': 'nonsense' },
      body: '',
    },
    wrongMethod,
  ),
  one(
    'X-HTTP-Method-Override: PATCH in a form loses the body',
    'POST /v1beta1/counters/rooms',
    {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'X-HTTP-Method-Override': 'PATCH' },
      body: '{"count":"5"}',
    },
    ok(rooms('1')),
    step('GET /v1beta1/counters/rooms', undefined, ok(rooms('1'))),
  ),
  one(
    'X-HTTP-Method-Override: PUT of a label in a form',
    'POST /metadata/label',
    {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'X-HTTP-Method-Override': 'PUT' },
      body: '{"key":"a","value":"b"}',
    },
    ok(),
    seen({ labels: { 'agones.dev/sdk-': '' } }),
  ),
  one(
    'X-HTTP-Method-Override: POST in a form on health',
    'POST /health',
    {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'X-HTTP-Method-Override': 'POST' },
      body: '{}',
    },
    ok(),
  ),
  one(
    'X-HTTP-Method-Override with an empty form on ready',
    'POST /ready',
    {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'X-HTTP-Method-Override': 'GET' },
      body: '',
    },
    wrongMethod,
  ),
  read({ 'Grpc-Timeout': '1S' }),
  read({ 'Grpc-Timeout': '1H' }),
  read({ 'Grpc-Timeout': '60S' }),
  read({ 'Grpc-Timeout': '1M' }),
  read({ 'Grpc-Timeout': '99999999S' }),
  read({ 'Grpc-Timeout': '100000000S' }),
  read({ 'Grpc-Timeout': '1' }, invalid('invalid grpc-timeout: 1')),
  read({ 'Grpc-Timeout': 'S' }, invalid('invalid grpc-timeout: S')),
  read({ 'Grpc-Timeout': 'x' }, invalid('invalid grpc-timeout: x')),
  read({ 'Grpc-Timeout': '-1S' }, fails(504, 4, 'context deadline exceeded')),
  read({ 'Grpc-Timeout': '1s' }, invalid('invalid grpc-timeout: 1s')),
  read({ 'Grpc-Timeout': '1h' }, invalid('invalid grpc-timeout: 1h')),
  read({ 'Grpc-Timeout': '' }),
  read({ 'Grpc-Timeout': '0S' }),
  read({ 'Grpc-Timeout': '1.5S' }, invalid('invalid grpc-timeout: 1.5S')),
  read({ 'Grpc-Timeout': ' 5S' }),
  read({ 'Grpc-Timeout': '5X' }, invalid('invalid grpc-timeout: 5X')),
  read({ 'Grpc-Timeout': '1n' }, fails(504, 4, 'context deadline exceeded')),
  one(
    'Grpc-Timeout on a write that runs out',
    'POST /allocate',
    { headers: { 'Grpc-Timeout': '1n' }, body: '{}' },
    fails(504, 4, 'context deadline exceeded'),
    seen(),
  ),
  one(
    'Grpc-Timeout, wrong, on a wrong method',
    'PUT /ready',
    { headers: { 'Grpc-Timeout': 'x' }, body: '{}' },
    wrongMethod,
  ),
  one(
    'Grpc-Timeout, wrong, with a bad body',
    'POST /ready',
    { headers: { 'Grpc-Timeout': 'x' }, body: '{' },
    invalid('invalid grpc-timeout: x'),
  ),
  one('Grpc-Timeout, wrong, on an unknown path', 'GET /nope', { headers: { 'Grpc-Timeout': 'x' } }, notFound),
  read(
    { 'Grpc-Metadata-X-Bin': '!' },
    invalid('invalid binary header Grpc-Metadata-X-Bin: illegal base64 data at input byte 0'),
  ),
  read({ 'Grpc-Metadata-X-Bin': 'YQ==' }),
  read({ 'Grpc-Metadata-X': 'y' }),
  read({ Authorization: 'Bearer x' }),
  read({ Cookie: 'token=x' }),
  read({ TE: 'trailers' }),
  one(
    'TE: trailers on an error',
    'GET /v1beta1/counters/nope',
    { headers: { TE: 'trailers' } },
    refused('not found. nope Counter not found'),
  ),
  read({ 'Accept-Encoding': 'gzip, br' }),
  read({ 'If-None-Match': '*' }),
  read({ Range: 'bytes=0-1' }),
  write({ Expect: '100-continue' }),
  write({ 'Content-Encoding': 'gzip' }),
  read({ Connection: 'Upgrade', Upgrade: 'h2c' }),
  read({ 'X-Forwarded-Host': 'example.com', Forwarded: 'host=example.com' }),
  read({ 'X-Long': 'x'.repeat(70) }),
]
