import { describe, expect, test } from 'vitest'
import { createLineLimit, type LineLimitOptions } from '../../src/node/host/line-limit.js'

function setup(options: LineLimitOptions = {}) {
  let time = 0
  const printed: [level: string, text: string][] = []
  const limit = createLineLimit((level, text) => printed.push([level, text]), { now: () => time, ...options })
  return {
    printed,
    limit,
    pass(ms: number) {
      time += ms
    },
  }
}

describe('lines from a game', () => {
  test('come through in order while they are few, each with its level', () => {
    const { limit, printed } = setup()
    limit.write('info', 'one')
    limit.write('error', 'two')
    limit.flush()
    expect(printed).toEqual([
      ['info', 'one'],
      ['error', 'two'],
    ])
  })

  test('are limited in number, and the next line that comes through says how many are missing', () => {
    const { limit, printed, pass } = setup({ burst: 10, perSecond: 5 })
    for (let i = 0; i < 1_010; i++) limit.write('info', `line ${i}`)
    expect(printed).toHaveLength(10)
    pass(1_000)
    limit.write('info', 'later')
    expect(printed.slice(10)).toEqual([
      ['warning', '1000 lines were left out: over 5 a second'],
      ['info', 'later'],
    ])
  })

  test('come at the rate given however long a flood lasts, and one remark stands for each gap', () => {
    const { limit, printed, pass } = setup({ burst: 10, perSecond: 10 })
    for (let ms = 0; ms < 100_000; ms++) {
      pass(1)
      limit.write('info', 'flood')
    }
    const lines = printed.filter(([level]) => level === 'info')
    expect(lines.length).toBeGreaterThan(900)
    expect(lines.length).toBeLessThanOrEqual(1_010)
    expect(printed.length - lines.length).toBeLessThanOrEqual(101)
  })

  test('that are missing at the end are told by flush, once', () => {
    const { limit, printed } = setup({ burst: 1 })
    limit.write('info', 'first')
    limit.write('info', 'second')
    limit.flush()
    limit.flush()
    expect(printed.slice(1)).toEqual([['warning', '1 line was left out: over 100 a second']])
  })

  test('are cut to the greatest length, and no character is cut in two', () => {
    const { limit, printed } = setup({ maxLength: 5 })
    limit.write('info', 'abcde')
    limit.write('info', 'abcdef')
    limit.write('info', 'abc😀def')
    expect(printed.map(([, text]) => text)).toEqual(['abcde', 'abcd…', 'abc…'])
  })
})
