import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
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
