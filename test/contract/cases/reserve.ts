import type { Answer, WireCase } from '../support/wire-case.js'
import { malformed, ok, one, seen } from '../support/wire-case.js'

/** Refused bodies change nothing, all others reserve. */
const reserve = (body: string, expect: Answer = ok()): WireCase => {
  const after = seen(expect.status === 200 ? { state: 'Reserved' } : {})
  return one(`reserve with ${body || 'no body'}`, 'POST /reserve', body, expect, after)
}

/** Reserve: its body, but for the spelling of integers. */
export const reserveCases: readonly WireCase[] = [
  reserve(''),
  reserve('{}'),
  reserve('{"Seconds":10}'),
  reserve('{"SECONDS":"10"}'),
  reserve('{"second":10}'),
  reserve('{"seconds":10,"seconds":0}', malformed),
  reserve('{"seconds":"0","seconds":"0"}', malformed),
  reserve('{"seconds":null,"seconds":5}', malformed),
  reserve('{"seconds":10,"nanos":5}'),
  reserve('{"seconds":"10","x":{}}'),
  reserve('"10s"', malformed),
  reserve('10', malformed),
  reserve('{"duration":"10s"}'),
]
