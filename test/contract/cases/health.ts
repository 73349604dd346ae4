import type { WireCase } from '../support/wire-case.js'
import { malformed, noBeat, notFound, ok, one, seen, step } from '../support/wire-case.js'

/** A body and its answer. */
const health = (body: string, expect = ok()): WireCase => one(`health with ${body}`, 'POST /health', body, expect)

/** Health: the one call that refuses an empty body, and that takes a stream. */
export const healthCases: readonly WireCase[] = [
  one('health without a body', 'POST /health', '', noBeat),
  health('{}'),
  health(' '),
  health('\n'),
  health('null', malformed),
  health('[]', malformed),
  health('1', malformed),
  health('"x"', malformed),
  health('{', malformed),
  health('{}{}'),
  health('{} {} {}'),
  health('{}\n{}\n'),
  health('{}x', malformed),
  health('{}{', malformed),
  health('{}null', malformed),
  health('{}[]', malformed),
  health('null{}', malformed),
  health('{"a":1}'),
  health('{"a":1}{"b":', malformed),
  health('x', malformed),
  health('\ufeff{}', malformed),
  health('{"timestamp":1}'),
  health('{},{}', malformed),
  one('a chunked, empty health', 'POST /health', { body: '', chunked: true }, ok()),
  one('a chunked health', 'POST /health', { body: '{}', chunked: true }, ok()),
  one('health without a body and a query', 'POST /health?x=1', undefined, noBeat),
  one('PUT /health without a body', 'PUT /health', undefined, noBeat),
  one('DELETE /health without a body', 'DELETE /health', undefined, noBeat),
  one('/health/ without a body', 'POST /health/', undefined, notFound),
  one('/%68ealth without a body', 'POST /%68ealth', undefined, noBeat),
  one(
    'health by a form without a body',
    'POST /health',
    { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: '' },
    noBeat,
  ),
  {
    name: 'health changes nothing',
    steps: [step('POST /health', '{}', ok()), step('POST /health', '{}', ok()), seen()],
  },
  {
    name: 'health works in every state',
    steps: [step('POST /shutdown', '{}', ok()), step('POST /health', '{}', ok()), seen({ state: 'Shutdown' })],
  },
]
