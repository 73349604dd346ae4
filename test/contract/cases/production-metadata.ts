import type { Answer, WireCase } from '../support/wire-case.js'
import { invalid, malformed, ok, one } from '../support/wire-case.js'

// What Kubernetes says about names, in the sidecar's words.
const example = "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
const pattern = "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const subdomain = "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const ends = 'and must start and end with an alphanumeric character'
const chars = `consist of alphanumeric characters, '-', '_' or '.', ${ends}`
const nameChars = `name part must ${chars} ${example}${pattern}`
const qualified =
  `a valid label key must ${chars} ${example}${pattern} ` +
  "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
const prefixChars =
  'prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, ' +
  `'-' or '.', ${ends} (e.g. 'example.com', regex used for validation is ${subdomain}`
const valueChars =
  `a valid label must be an empty string or ${chars} (e.g. 'MyValue',  or 'my_value',  or '12345', ` +
  "regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
const noName = 'name part must be non-empty'
const noPrefix = 'prefix part must be non-empty'
const longName = 'name part must be no more than 63 bytes'
const longPrefix = 'prefix part must be no more than 253 bytes'
const longValue = 'must be no more than 63 bytes'

/** A text, and the reasons against it. */
type Row = readonly [text: string, reasons: readonly string[]]

/** Some pass here and are refused by the cluster later, because the prefix is added after the check. */
const keys: readonly Row[] = [
  ['a', []],
  ['A.b_c-D', []],
  ['a b', [nameChars]],
  ['', [noName, nameChars]],
  ['-a', [nameChars]],
  ['a-', [nameChars]],
  ['.a', [nameChars]],
  ['a.', [nameChars]],
  ['_a', [nameChars]],
  ['é', [nameChars]],
  ['a/b', []],
  ['a.b/c', []],
  ['A/b', [prefixChars]],
  ['a_b/c', [prefixChars]],
  ['/b', [noPrefix]],
  ['a/', [noName, nameChars]],
  ['a/b/c', [qualified]],
  ['/', [noPrefix, noName, nameChars]],
  ['agones.dev/sdk-a', []],
  ['a..b/c', [prefixChars]],
  ['-a/b', [prefixChars]],
  ['a:b', [nameChars]],
  ['a"b', [nameChars]],
  ['a\\b', [nameChars]],
  ['a\nb', [nameChars]],
  ['日本', [nameChars]],
  ['😀', [nameChars]],
  ['__proto__', [nameChars]],
  ['constructor', []],
  ['k'.repeat(59), []],
  ['k'.repeat(60), []],
  ['k'.repeat(63), []],
  ['k'.repeat(64), [longName]],
  ['k'.repeat(300), [longName]],
  ['p'.repeat(253) + '/a', []],
  ['p'.repeat(254) + '/a', [longPrefix]],
  ['a/' + 'k'.repeat(64), [longName]],
  ['a b/' + 'k'.repeat(64), [prefixChars, longName]],
  ['----------------------------------------------------------------------', [longName, nameChars]],
  [' a', [nameChars]],
  ['*', [nameChars]],
  ['a@b', [nameChars]],
  ['0', []],
  ['1.2', []],
]

const values: readonly Row[] = [
  ['', []],
  ['v', []],
  ['a b', [valueChars]],
  ['-', [valueChars]],
  ['-a', [valueChars]],
  ['a-', [valueChars]],
  ['.', [valueChars]],
  ['a.b_c-D', []],
  ['a/b', [valueChars]],
  ['é', [valueChars]],
  ['日本', [valueChars]],
  ['"', [valueChars]],
  ['\\', [valueChars]],
  ['a\nb', [valueChars]],
  [' ', [valueChars]],
  [' a', [valueChars]],
  ['v'.repeat(63), []],
  ['v'.repeat(64), [longValue]],
  ['----------------------------------------------------------------', [longValue, valueChars]],
  ['{}', [valueChars]],
  ['😀', [valueChars]],
  ['null', []],
  ['0', []],
  ['1.5', []],
  ['a:b', [valueChars]],
]

const show = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}...` : text)

const expected = (start: string, reasons: readonly string[]): Answer =>
  reasons.length === 0 ? ok() : invalid(`${start}: ${reasons.join(', ')}`)

const keyCases = (kind: 'label' | 'annotation'): WireCase[] =>
  keys.map(([key, reasons]) =>
    one(
      `${kind} key ${show(key)}`,
      `PUT /metadata/${kind}`,
      JSON.stringify({ key, value: 'v' }),
      expected(`invalid ${kind} key ${JSON.stringify(key)}`, reasons),
    ),
  )

const valueCases = values.map(([value, reasons]) =>
  one(
    `label value ${show(value)}`,
    'PUT /metadata/label',
    JSON.stringify({ key: 'a', value }),
    expected(`invalid label value ${JSON.stringify(value)} for key "a"`, reasons),
  ),
)

const anyValue = ['', 'a b', '日本', 'v'.repeat(1000), '-'].map((value) =>
  one(`annotation value ${show(value)}`, 'PUT /metadata/annotation', JSON.stringify({ key: 'a', value }), ok()),
)

const bodyCases = (kind: 'label' | 'annotation'): WireCase[] => {
  const put = (body: string, expect: Answer): WireCase =>
    one(`${kind} with ${body || 'no body'}`, `PUT /metadata/${kind}`, body, expect)
  const noKey = invalid(`invalid ${kind} key "": ${noName}, ${nameChars}`)
  return [
    put('', noKey),
    put('{}', noKey),
    put('{"value":"b"}', noKey),
    put('{"key":null,"value":null}', noKey),
    put('{"key":"a"}', ok()),
    put('{"key":"a","extra":1}', ok()),
    // The key is looked at before the value.
    put('{"key":"a b","value":"c d"}', invalid(`invalid ${kind} key "a b": ${nameChars}`)),
    put('{"key":1}', malformed),
    put('{', malformed),
    put('[]', malformed),
  ]
}

/** In production labels and annotations are checked when they are set. */
export const productionMetadataCases: readonly WireCase[] = [
  ...keyCases('label'),
  ...keyCases('annotation'),
  ...valueCases,
  ...anyValue,
  ...bodyCases('label'),
  ...bodyCases('annotation'),
]
