import type { Answer, WireCase } from '../support/wire-case.js'
import { malformed, ok, one, seen, step } from '../support/wire-case.js'

/** The body and what it leaves behind: a key with its value, or the reason it is refused. */
const label = (body: string, left: Record<string, string> | Answer): WireCase => {
  const expect = 'status' in left ? (left as Answer) : ok()
  const labels = expect === left ? {} : (left as Record<string, string>)
  const after = seen({ labels })
  return one(`label ${body || 'without a body'}`, 'PUT /metadata/label', body, expect, after)
}

/** Labels: local mode takes whatever it is given. */
export const labelCases: readonly WireCase[] = [
  label('{"key":"a","value":"b"}', { 'agones.dev/sdk-a': 'b' }),
  label('{"key":"a"}', { 'agones.dev/sdk-a': '' }),
  label('{"value":"b"}', { 'agones.dev/sdk-': 'b' }),
  label('{}', { 'agones.dev/sdk-': '' }),
  label('', { 'agones.dev/sdk-': '' }),
  label('{"key":"","value":""}', { 'agones.dev/sdk-': '' }),
  label('{"key":"a b","value":"c d"}', { 'agones.dev/sdk-a b': 'c d' }),
  label('{"key":"a/b","value":"c/d"}', { 'agones.dev/sdk-a/b': 'c/d' }),
  label('{"key":"agones.dev/sdk-a","value":"x"}', { 'agones.dev/sdk-agones.dev/sdk-a': 'x' }),
  label('{"key":"é","value":"日本"}', { 'agones.dev/sdk-é': '日本' }),
  label('{"key":"\\u00e9","value":"\\ud83d\\ude00"}', { 'agones.dev/sdk-é': '😀' }),
  label('{"key":"😀","value":"😀"}', { 'agones.dev/sdk-😀': '😀' }),
  label('{"key":"a\\u0000b","value":"\\u0000"}', { 'agones.dev/sdk-a\u0000b': '\u0000' }),
  label('{"key":"a","value":"line\\nbreak\\ttab\\"quote\\\\"}', { 'agones.dev/sdk-a': 'line\nbreak\ttab"quote\\' }),
  label('{"key":"a","value":"<>&"}', { 'agones.dev/sdk-a': '<>&' }),
  label('{"key":"a","value":"\u2028\u2029"}', { 'agones.dev/sdk-a': '\u2028\u2029' }),
  label('{"key":"a","value":"\\ufeff"}', { 'agones.dev/sdk-a': '\ufeff' }),
  label('{"key":"__proto__","value":"x"}', { 'agones.dev/sdk-__proto__': 'x' }),
  label('{"key":"constructor","value":"x"}', { 'agones.dev/sdk-constructor': 'x' }),
  label('{"Key":"a","Value":"b"}', { 'agones.dev/sdk-': '' }),
  label('{"KEY":"a"}', { 'agones.dev/sdk-': '' }),
  label('{"key":"a","value":"b","extra":1}', { 'agones.dev/sdk-a': 'b' }),
  label('{"key":"a","key":"b","value":"c"}', malformed),
  label('{"key":"a","value":"b","value":"c"}', malformed),
  label('{"key":null,"value":null}', { 'agones.dev/sdk-': '' }),
  label('{"key":null,"value":"b"}', { 'agones.dev/sdk-': 'b' }),
  label('{"key":"a","value":null}', { 'agones.dev/sdk-a': '' }),
  label('{"key":1,"value":"b"}', malformed),
  label('{"key":"a","value":1}', malformed),
  label('{"key":"a","value":true}', malformed),
  label('{"key":"a","value":[]}', malformed),
  label('{"key":"a","value":{}}', malformed),
  label('{"key":"a","value":["b"]}', malformed),
  label('{"key":{"a":"b"}}', malformed),
  label('{"key":"a","value":"\\ud800"}', malformed),
  label('{"key":"\\udc00","value":"b"}', malformed),
  label('{"key":"a","value":"\\z"}', malformed),
  label('{"key":"a","value":"b"', malformed),
  label('["a","b"]', malformed),
  label('{"a":"b"}', { 'agones.dev/sdk-': '' }),
  label('{"key":"-a-","value":"-b-"}', { 'agones.dev/sdk--a-': '-b-' }),
  label('{"key":"A.b_c-D","value":"x.y_z"}', { 'agones.dev/sdk-A.b_c-D': 'x.y_z' }),
  label('{"key":"' + 'k'.repeat(60) + '","value":"v"}', { ['agones.dev/sdk-' + 'k'.repeat(60)]: 'v' }),
  label('{"key":"' + 'k'.repeat(300) + '","value":"v"}', { ['agones.dev/sdk-' + 'k'.repeat(300)]: 'v' }),
  label('{"key":"a","value":"' + 'v'.repeat(64) + '"}', { 'agones.dev/sdk-a': 'v'.repeat(64) }),
  label('{"key":"a","value":" "}', { 'agones.dev/sdk-a': ' ' }),
  label('{"\\u006bey":"a","value":"b"}', { 'agones.dev/sdk-a': 'b' }),
  {
    name: 'a second label under the same key replaces the first',
    steps: [
      step('PUT /metadata/label', '{"key":"a","value":"b"}', ok()),
      step('PUT /metadata/label', '{"key":"a","value":"c"}', ok()),
      seen({ labels: { 'agones.dev/sdk-a': 'c' } }),
    ],
  },
  {
    name: 'labels add up',
    steps: [
      step('PUT /metadata/label', '{"key":"a","value":"b"}', ok()),
      step('PUT /metadata/label', '{"key":"b","value":"c"}', ok()),
      seen({ labels: { 'agones.dev/sdk-a': 'b', 'agones.dev/sdk-b': 'c' } }),
    ],
  },
  one(
    'invalid UTF-8 in a label',
    'PUT /metadata/label',
    { body: { latin1: '{"key":"a","value":"\xff"}' } },
    malformed,
    seen(),
  ),
  {
    name: 'labels and annotations are apart',
    steps: [
      step('PUT /metadata/label', '{"key":"a","value":"b"}', ok()),
      step('PUT /metadata/annotation', '{"key":"a","value":"c"}', ok()),
      seen({ labels: { 'agones.dev/sdk-a': 'b' }, annotations: { 'agones.dev/sdk-a': 'c' } }),
    ],
  },
]
