import type { Answer, WireCase } from '../support/wire-case.js'
import { malformed, ok, one, seen, step } from '../support/wire-case.js'

/** The body and what it leaves behind: a key with its value, or the reason it is refused. */
const annotation = (body: string, left: Record<string, string> | Answer): WireCase => {
  const expect = 'status' in left ? (left as Answer) : ok()
  const annotations = expect === left ? {} : (left as Record<string, string>)
  const after = seen({ annotations })
  return one(`annotation ${body || 'without a body'}`, 'PUT /metadata/annotation', body, expect, after)
}

/** Annotations: local mode takes whatever it is given. */
export const annotationCases: readonly WireCase[] = [
  annotation('{"key":"a","value":"b"}', { 'agones.dev/sdk-a': 'b' }),
  annotation('{"key":"a"}', { 'agones.dev/sdk-a': '' }),
  annotation('{"value":"b"}', { 'agones.dev/sdk-': 'b' }),
  annotation('{}', { 'agones.dev/sdk-': '' }),
  annotation('', { 'agones.dev/sdk-': '' }),
  annotation('{"key":"","value":""}', { 'agones.dev/sdk-': '' }),
  annotation('{"key":"a b","value":"c d"}', { 'agones.dev/sdk-a b': 'c d' }),
  annotation('{"key":"a/b","value":"c/d"}', { 'agones.dev/sdk-a/b': 'c/d' }),
  annotation('{"key":"agones.dev/sdk-a","value":"x"}', { 'agones.dev/sdk-agones.dev/sdk-a': 'x' }),
  annotation('{"key":"é","value":"日本"}', { 'agones.dev/sdk-é': '日本' }),
  annotation('{"key":"\\u00e9","value":"\\ud83d\\ude00"}', { 'agones.dev/sdk-é': '😀' }),
  annotation('{"key":"😀","value":"😀"}', { 'agones.dev/sdk-😀': '😀' }),
  annotation('{"key":"a\\u0000b","value":"\\u0000"}', { 'agones.dev/sdk-a\u0000b': '\u0000' }),
  annotation('{"key":"a","value":"line\\nbreak\\ttab\\"quote\\\\"}', {
    'agones.dev/sdk-a': 'line\nbreak\ttab"quote\\',
  }),
  annotation('{"key":"a","value":"<>&"}', { 'agones.dev/sdk-a': '<>&' }),
  annotation('{"key":"a","value":"\u2028\u2029"}', { 'agones.dev/sdk-a': '\u2028\u2029' }),
  annotation('{"key":"a","value":"\\ufeff"}', { 'agones.dev/sdk-a': '\ufeff' }),
  annotation('{"key":"__proto__","value":"x"}', { 'agones.dev/sdk-__proto__': 'x' }),
  annotation('{"key":"constructor","value":"x"}', { 'agones.dev/sdk-constructor': 'x' }),
  annotation('{"Key":"a","Value":"b"}', { 'agones.dev/sdk-': '' }),
  annotation('{"KEY":"a"}', { 'agones.dev/sdk-': '' }),
  annotation('{"key":"a","value":"b","extra":1}', { 'agones.dev/sdk-a': 'b' }),
  annotation('{"key":"a","key":"b","value":"c"}', malformed),
  annotation('{"key":"a","value":"b","value":"c"}', malformed),
  annotation('{"key":null,"value":null}', { 'agones.dev/sdk-': '' }),
  annotation('{"key":null,"value":"b"}', { 'agones.dev/sdk-': 'b' }),
  annotation('{"key":"a","value":null}', { 'agones.dev/sdk-a': '' }),
  annotation('{"key":1,"value":"b"}', malformed),
  annotation('{"key":"a","value":1}', malformed),
  annotation('{"key":"a","value":true}', malformed),
  annotation('{"key":"a","value":[]}', malformed),
  annotation('{"key":"a","value":{}}', malformed),
  annotation('{"key":"a","value":["b"]}', malformed),
  annotation('{"key":{"a":"b"}}', malformed),
  annotation('{"key":"a","value":"\\ud800"}', malformed),
  annotation('{"key":"\\udc00","value":"b"}', malformed),
  annotation('{"key":"a","value":"\\z"}', malformed),
  annotation('{"key":"a","value":"b"', malformed),
  annotation('["a","b"]', malformed),
  annotation('{"a":"b"}', { 'agones.dev/sdk-': '' }),
  annotation('{"key":"-a-","value":"-b-"}', { 'agones.dev/sdk--a-': '-b-' }),
  annotation('{"key":"A.b_c-D","value":"x.y_z"}', { 'agones.dev/sdk-A.b_c-D': 'x.y_z' }),
  annotation('{"key":"' + 'k'.repeat(60) + '","value":"v"}', { ['agones.dev/sdk-' + 'k'.repeat(60)]: 'v' }),
  annotation('{"key":"' + 'k'.repeat(300) + '","value":"v"}', { ['agones.dev/sdk-' + 'k'.repeat(300)]: 'v' }),
  annotation('{"key":"a","value":"' + 'v'.repeat(64) + '"}', { 'agones.dev/sdk-a': 'v'.repeat(64) }),
  annotation('{"key":"a","value":" "}', { 'agones.dev/sdk-a': ' ' }),
  annotation('{"\\u006bey":"a","value":"b"}', { 'agones.dev/sdk-a': 'b' }),
  {
    name: 'a second annotation under the same key replaces the first',
    steps: [
      step('PUT /metadata/annotation', '{"key":"a","value":"b"}', ok()),
      step('PUT /metadata/annotation', '{"key":"a","value":"c"}', ok()),
      seen({ annotations: { 'agones.dev/sdk-a': 'c' } }),
    ],
  },
  {
    name: 'annotations add up',
    steps: [
      step('PUT /metadata/annotation', '{"key":"a","value":"b"}', ok()),
      step('PUT /metadata/annotation', '{"key":"b","value":"c"}', ok()),
      seen({ annotations: { 'agones.dev/sdk-a': 'b', 'agones.dev/sdk-b': 'c' } }),
    ],
  },
  one(
    'invalid UTF-8 in a annotation',
    'PUT /metadata/annotation',
    { body: { latin1: '{"key":"a","value":"\xff"}' } },
    malformed,
    seen(),
  ),
]
