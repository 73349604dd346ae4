import { invalid, malformed, ok, one, seen, step, texts, type Answer, type WireCase } from '../support/wire-case.js'

/** Bodies in local mode, and what each leaves behind: a key with its value. It takes whatever it is given. */
const taken: readonly (readonly [body: string, key: string, value: string])[] = [
  ['{"key":"a","value":"b"}', 'a', 'b'],
  ['{"key":"a"}', 'a', ''],
  ['{"value":"b"}', '', 'b'],
  ['{}', '', ''],
  ['', '', ''],
  ['{"key":"a b","value":"c d"}', 'a b', 'c d'],
  ['{"key":"a/b","value":"c/d"}', 'a/b', 'c/d'],
  ['{"key":"agones.dev/sdk-a","value":"x"}', 'agones.dev/sdk-a', 'x'],
  ['{"key":"é","value":"日本"}', 'é', '日本'],
  ['{"key":"\\u00e9","value":"\\ud83d\\ude00"}', 'é', '😀'],
  ['{"key":"a\\u0000b","value":"\\u0000"}', 'a\u0000b', '\u0000'],
  ['{"key":"a","value":"line\\nbreak\\ttab\\"quote\\\\"}', 'a', 'line\nbreak\ttab"quote\\'],
  ['{"key":"a","value":"<>&"}', 'a', '<>&'],
  ['{"key":"a","value":"\u2028\u2029"}', 'a', '\u2028\u2029'],
  ['{"key":"a","value":"\\ufeff"}', 'a', '\ufeff'],
  ['{"key":"__proto__","value":"x"}', '__proto__', 'x'],
  ['{"key":"constructor","value":"x"}', 'constructor', 'x'],
  ['{"Key":"a","Value":"b"}', '', ''],
  ['{"key":"a","value":"b","extra":1}', 'a', 'b'],
  ['{"key":null,"value":null}', '', ''],
  ['{"key":"-a-","value":"-b-"}', '-a-', '-b-'],
  [`{"key":"${'k'.repeat(300)}","value":"${'v'.repeat(64)}"}`, 'k'.repeat(300), 'v'.repeat(64)],
  ['{"key":"a","value":" "}', 'a', ' '],
  ['{"\\u006bey":"a","value":"b"}', 'a', 'b'],
]

const wrong = texts(
  String.raw`{"key":"a","key":"b","value":"c"} | {"key":"a","value":"b","value":"c"} | {"key":1,"value":"b"}
  {"key":"a","value":1} | {"key":"a","value":true} | {"key":"a","value":[]} | {"key":"a","value":{}} | ["a","b"]
  {"key":"a","value":["b"]} | {"key":{"a":"b"}} | {"key":"a","value":"\ud800"} | {"key":"\udc00","value":"b"}
  {"key":"a","value":"\z"} | {"key":"a","value":"b"`,
)

const put = (kind: string, key: string, value: string) =>
  step(`PUT /metadata/${kind}`, JSON.stringify({ key, value }), ok())

/** Labels and annotations in local mode. */
export const metadataCases: readonly WireCase[] = [
  ...(['label', 'annotation'] as const).flatMap((kind) => {
    const path = `PUT /metadata/${kind}`
    return [
      ...taken.map(([body, key, value]) =>
        one(`${kind} ${body}`, path, body, ok(), seen({ [`${kind}s`]: { [`agones.dev/sdk-${key}`]: value } })),
      ),
      ...wrong.map((body) => one(`${kind} ${body}`, path, body, malformed, seen())),
      one(`no UTF-8 in a ${kind}`, path, { body: { latin1: '{"key":"a","value":"\xff"}' } }, malformed, seen()),
    ]
  }),
  {
    name: 'labels and annotations add up, are apart, and are replaced',
    steps: [
      ...[put('label', 'a', 'b'), put('label', 'b', 'c'), put('label', 'a', 'd'), put('annotation', 'a', 'e')],
      seen({ labels: { 'agones.dev/sdk-a': 'd', 'agones.dev/sdk-b': 'c' }, annotations: { 'agones.dev/sdk-a': 'e' } }),
    ],
  },
]

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

/** Texts, and the reasons against each of them. */
type Row = readonly [reasons: readonly string[], ...texts: readonly string[]]

/** Some pass here and are refused by the cluster later, because the prefix is added after the check. */
const keys: readonly Row[] = [
  [[], 'a', 'A.b_c-D', 'a/b', 'a.b/c', 'agones.dev/sdk-a', 'constructor', '0', '1.2'],
  [[], 'k'.repeat(60), 'k'.repeat(63), 'p'.repeat(253) + '/a'],
  [[nameChars], 'a b', '-a', 'a-', '.a', 'a.', '_a', 'é', 'a:b', 'a"b', 'a\\b', 'a\nb', '日本', '😀', '__proto__', '*'],
  [[prefixChars], 'A/b', 'a_b/c', 'a..b/c', '-a/b'],
  [[noPrefix], '/b'],
  [[noName, nameChars], '', 'a/'],
  [[noPrefix, noName, nameChars], '/'],
  [[qualified], 'a/b/c'],
  [[longName], 'k'.repeat(64), 'a/' + 'k'.repeat(64)],
  [['prefix part must be no more than 253 bytes'], 'p'.repeat(254) + '/a'],
  [[prefixChars, longName], 'a b/' + 'k'.repeat(64)],
  [[longName, nameChars], '-'.repeat(70)],
]

const values: readonly Row[] = [
  [[], '', 'v', 'a.b_c-D', 'null', '0', '1.5', 'v'.repeat(63)],
  [[valueChars], 'a b', '-', '-a', 'a-', '.', 'a/b', 'é', '"', '\\', 'a\nb', ' ', '{}', '😀', 'a:b'],
  [['must be no more than 63 bytes'], 'v'.repeat(64)],
  [['must be no more than 63 bytes', valueChars], '-'.repeat(64)],
]

const each = (rows: readonly Row[], asCase: (text: string, reasons: readonly string[]) => WireCase): WireCase[] =>
  rows.flatMap(([reasons, ...all]) => all.map((text) => asCase(text, reasons)))

const expected = (start: string, reasons: readonly string[]): Answer =>
  reasons.length === 0 ? ok() : invalid(`${start}: ${reasons.join(', ')}`)

const set = (kind: string, key: string, value: string, expect: Answer): WireCase =>
  one(
    `${kind} ${key.slice(0, 70)}=${value.slice(0, 70)}`,
    `PUT /metadata/${kind}`,
    JSON.stringify({ key, value }),
    expect,
  )

/** In production labels and annotations are checked when they are set. */
export const productionMetadataCases: readonly WireCase[] = [
  ...['label', 'annotation'].flatMap((kind) => {
    const noKey = invalid(`invalid ${kind} key "": ${noName}, ${nameChars}`)
    const bodies: readonly (readonly [string, Answer])[] = [
      ['', noKey],
      ['{}', noKey],
      ['{"value":"b"}', noKey],
      ['{"key":null,"value":null}', noKey],
      ['{"key":"a"}', ok()],
      ['{"key":"a","extra":1}', ok()],
      // The key is looked at before the value.
      ['{"key":"a b","value":"c d"}', invalid(`invalid ${kind} key "a b": ${nameChars}`)],
      ['{"key":1}', malformed],
      ['{', malformed],
    ]
    return [
      ...each(keys, (key, reasons) =>
        set(kind, key, 'v', expected(`invalid ${kind} key ${JSON.stringify(key)}`, reasons)),
      ),
      ...bodies.map(([body, expect]) => one(`${kind} ${body}`, `PUT /metadata/${kind}`, body, expect)),
    ]
  }),
  ...each(values, (value, reasons) =>
    set('label', 'a', value, expected(`invalid label value ${JSON.stringify(value)} for key "a"`, reasons)),
  ),
  ...['', 'a b', '日本', 'v'.repeat(1000), '-'].map((value) => set('annotation', 'a', value, ok())),
]
