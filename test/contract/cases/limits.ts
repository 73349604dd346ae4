import type { WireCase } from '../support/wire-case.js'
import { malformed, ok, one, players, step, tooLarge } from '../support/wire-case.js'

const size = 4 * 1024 * 1024

const annotation = (times: number): { before: string; times: number; after: string } => ({
  before: '{"key":"a","value":"',
  times,
  after: '"}',
})
const junk = { before: '{"junk":"', times: size, after: '"}' }

/**
 * Around 4 MiB. The real sidecar measures the message that a body stands for: eight bytes more here than the
 * value has, and nothing for what it ignores. Ours measures the body, so that it never reads more than that.
 */
export const limitCases: readonly WireCase[] = [
  one('a body just below 4 MiB', 'PUT /metadata/annotation', { body: annotation(size - 22) }, ok()),
  one('chunked', 'PUT /metadata/annotation', { body: annotation(size - 22), chunked: true }, ok()),
  one('a message over 4 MiB', 'PUT /metadata/annotation', { body: annotation(size - 7) }, tooLarge),
  one('a chunked one', 'PUT /metadata/annotation', { body: annotation(size), chunked: true }, tooLarge),
  one('a message far over 4 MiB', 'PUT /metadata/annotation', { body: annotation(size * 2) }, tooLarge),
  one(
    'an added value over 4 MiB',
    'POST /v1beta1/lists/players:addValue',
    { body: { before: '{"value":"', times: size, after: '"}' } },
    tooLarge,
    step('GET /v1beta1/lists/players', undefined, ok(players())),
  ),
  {
    name: 'a body over 4 MiB whose message is not',
    steps: [{ call: 'PUT /metadata/annotation', body: annotation(size - 8), expect: ok(), ours: tooLarge }],
  },
  {
    name: 'an unknown field over 4 MiB',
    steps: [{ call: 'POST /ready', body: junk, expect: ok(), ours: tooLarge }],
  },
  {
    name: 'a malformed body over 4 MiB',
    steps: [
      {
        call: 'POST /ready',
        body: { ...junk, after: '"' },
        expect: malformed,
        ours: tooLarge,
      },
    ],
  },
  {
    name: 'a beat over 4 MiB',
    steps: [{ call: 'POST /health', body: junk, expect: ok(), ours: tooLarge }],
  },
]
