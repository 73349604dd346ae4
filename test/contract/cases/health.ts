import type { WireCase } from '../support/wire-case.js'
import { invalid, noBeat, notFound, ok, one, seen, step } from '../support/wire-case.js'

/** A body that is taken, or what it is refused with. */
const health = (body: string, refusal?: string): WireCase =>
  one(`health with ${body}`, 'POST /health', body, refusal === undefined ? ok() : invalid(refusal))

/** Health: the one call that refuses an empty body, and that takes a stream. */
export const healthCases: readonly WireCase[] = [
  one('health without a body', 'POST /health', '', noBeat),
  health('{}'),
  health(' '),
  health('\n'),
  health('null', 'proto: syntax error (line 1:1): unexpected token null'),
  health('[]', 'proto: syntax error (line 1:1): unexpected token ['),
  health('1', 'proto: syntax error (line 1:1): unexpected token 1'),
  health('"x"', 'proto: syntax error (line 1:1): unexpected token "x"'),
  health('{', 'unexpected EOF'),
  health('{}{}'),
  health('{} {} {}'),
  health('{}\n{}\n'),
  health('{}x', "invalid character 'x' looking for beginning of value"),
  health('{}{', 'unexpected EOF'),
  health('{}null', 'proto: syntax error (line 1:1): unexpected token null'),
  health('{}[]', 'proto: syntax error (line 1:1): unexpected token ['),
  health('null{}', 'proto: syntax error (line 1:1): unexpected token null'),
  health('{"a":1}'),
  health('{"a":1}{"b":', 'unexpected EOF'),
  health('x', "invalid character 'x' looking for beginning of value"),
  health('\ufeff{}', "invalid character 'ï' looking for beginning of value"),
  health('{"timestamp":1}'),
  health('{},{}', "invalid character ',' looking for beginning of value"),
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
