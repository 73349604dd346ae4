import type { WireCase } from '../support/wire-case.js'
import { fails, invalid, ok, one, players, step } from '../support/wire-case.js'

/** Bodies around 4 MiB. */
export const limitCases: readonly WireCase[] = [
  one(
    'an annotation far below 4 MiB',
    'PUT /metadata/annotation',
    { body: { before: '{"key":"a","value":"', times: 100000, after: '"}' } },
    ok(),
  ),
  one(
    'an annotation just below, with its field headers 4 MiB',
    'PUT /metadata/annotation',
    { body: { before: '{"key":"a","value":"', times: 4194296, after: '"}' } },
    ok(),
  ),
  one(
    'an annotation at 4 MiB',
    'PUT /metadata/annotation',
    { body: { before: '{"key":"a","value":"', times: 4194304, after: '"}' } },
    fails(429, 8, 'grpc: received message larger than max (4194312 vs. 4194304)'),
  ),
  one(
    'an annotation far over 4 MiB',
    'PUT /metadata/annotation',
    { body: { before: '{"key":"a","value":"', times: 5194304, after: '"}' } },
    fails(429, 8, 'grpc: received message larger than max (5194312 vs. 4194304)'),
  ),
  one(
    'an annotation whose message is one byte over 4 MiB',
    'PUT /metadata/annotation',
    { body: { before: '{"key":"a","value":"', times: 4194297, after: '"}' } },
    fails(429, 8, 'grpc: received message larger than max (4194305 vs. 4194304)'),
  ),
  one(
    'an annotation whose message is just 4 MiB',
    'PUT /metadata/annotation',
    { body: { before: '{"key":"a","value":"', times: 4194296, after: '"}' } },
    ok(),
  ),
  one(
    'an added value over 4 MiB',
    'POST /v1beta1/lists/players:addValue',
    { body: { before: '{"value":"', times: 4194305, after: '"}' } },
    fails(429, 8, 'grpc: received message larger than max (4194319 vs. 4194304)'),
    step('GET /v1beta1/lists/players', undefined, ok(players())),
  ),
  one(
    'a chunked annotation over 4 MiB',
    'PUT /metadata/annotation',
    { body: { before: '{"key":"a","value":"', times: 4194305, after: '"}' }, chunked: true },
    fails(429, 8, 'grpc: received message larger than max (4194313 vs. 4194304)'),
  ),
  one(
    'an unknown field over 4 MiB',
    'POST /ready',
    { body: { before: '{"junk":"', times: 4194305, after: '"}' } },
    ok(),
  ),
  one(
    'white space over 4 MiB',
    'POST /ready',
    { body: { before: '{"junk":"', times: 4194305, after: '"' } },
    invalid('unexpected EOF'),
  ),
  one(
    'a health body over 4 MiB',
    'POST /health',
    { body: { before: '{"junk":"', times: 4194305, after: '"}' } },
    ok(),
  ),
]
