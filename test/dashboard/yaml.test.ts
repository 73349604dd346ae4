import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readYaml } from '../../src/dashboard/panels/read-yaml.js'
import { writeYaml } from '../../src/dashboard/panels/write-yaml.js'

/** Strings that a careless writer or reader takes for something else. */
const tricky = fc.constantFrom(
  '',
  '-',
  '- a',
  'a: b',
  'a #b',
  '#',
  'yes',
  'null',
  '~',
  '1',
  '1e3',
  '0x1',
  '1.5',
  ' a',
  'a ',
  '{',
  '[]',
  '"',
  "'",
  '\n',
  '\t',
  'a:',
  '&a',
  '*a',
  '!t',
  '|',
  '>',
  '%',
  '@',
  '`',
  '?',
  ',',
  '--- ',
  '2026-01-01',
  '<b>',
  '🎲',
  '__proto__',
)
const text = fc.oneof(tricky, fc.string(), fc.string({ unit: 'grapheme' }))
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4 }),
  ),
}))

test('what is shown as YAML is the same value for a YAML reader', () => {
  fc.assert(fc.property(value, (shown) => void expect(parse(writeYaml(shown))).toEqual(shown)))
})

test('what is shown as YAML can be edited and sent back', () => {
  fc.assert(fc.property(value, (shown) => void expect(readYaml(writeYaml(shown))).toEqual(shown)))
})

const byHand = `
---
# a comment
apiVersion: "agones.dev/v1"   # behind a value
kind: GameServer
metadata:
  name: 'it''s'
  labels: { mode: dm, "a b": 'c, d', on: "yes" }
  annotations: {}
spec:
  ports:
  - name: default
    containerPort: 7777

  - {name: other, hostPort: 7778}
  counters:
    rooms: { count: 0, capacity: 10 }
  lists:
    players:
      capacity: 16
      values:
        - alice
        - "bob: 1"
        -
          - nested
  url: http://example.com/#top
  empty:
  last: ~
`

test('a manifest written by hand is read as a YAML reader reads it', () => {
  expect(readYaml(byHand)).toEqual(parse(byHand))
})

test('JSON is taken as well', () => {
  expect(readYaml(' {"metadata": {"name": "x"}}')).toEqual({ metadata: { name: 'x' } })
})

test.each([
  ['a: 1\n  b: 2', 'Line 2: "b: 2" is indented unlike the lines before'],
  ['a: 1\nb', 'Line 2: "b" is no "key: value"'],
  ['a: 1\na: 2', 'Line 2: "a" is there twice'],
  ['a:\n\tb: 1', 'Line 2: a tab indents it; use spaces'],
  ['a: |\n  text', 'Line 1: "|" is not understood here; write it as a block, or all as JSON'],
  ['a: *other', 'Line 1: "*other" is not understood here; write it as a block, or all as JSON'],
  ['a: {b: [}', 'Line 1: "{b: [}" is not understood here; write it as a block, or all as JSON'],
])('%j is refused by its line', (source, message) => {
  expect(() => readYaml(source)).toThrow(message)
})
