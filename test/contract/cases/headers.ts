import type { WireCase } from '../support/wire-case.js'
import { malformed, notFound, ok, one, refused, rooms, seen, wrongMethod } from '../support/wire-case.js'

const form = { 'Content-Type': 'application/x-www-form-urlencoded' }

/** A write that acts as ever. */
const write = (headers: Record<string, string | null>): WireCase => {
  const name = `a write with ${JSON.stringify(headers)}`
  const body = '{"key":"a","value":"b"}'
  const after = seen({ labels: { 'agones.dev/sdk-a': 'b' } })
  return one(name, 'PUT /metadata/label', { headers, body }, ok(), after)
}

/** A read that is answered as ever. */
const read = (headers: Record<string, string>): WireCase =>
  one(`a read with ${JSON.stringify(headers)}`, 'GET /v1beta1/counters/rooms', { headers }, ok(rooms()))

/** Request headers change nothing. */
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
  write(form),
  one('a form POST to an unknown path', 'POST /nope', { headers: form, body: '' }, notFound),
  one(
    'a form POST to a PUT path',
    'POST /metadata/label',
    { headers: form, body: 'key=a&value=b' },
    wrongMethod,
    seen(),
  ),
  one(
    'a form POST to a POST path is parsed as JSON',
    'POST /reserve',
    { headers: form, body: '{"seconds":"0"}' },
    ok(),
    seen({ state: 'Reserved' }),
  ),
  one('a form POST to a POST path: no JSON', 'POST /reserve', { headers: form, body: 'seconds=5' }, malformed, seen()),
  one(
    'X-HTTP-Method-Override is ignored',
    'POST /v1beta1/counters/rooms',
    { headers: { 'X-HTTP-Method-Override': 'PATCH' }, body: '{"count":"5"}' },
    wrongMethod,
  ),
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
