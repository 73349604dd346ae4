import { describe, expect, test } from 'vitest'
import { createClient, isSidecarError, type SidecarError } from '../../src/index.js'

const baseUrl = 'http://127.0.0.1:1'

function errorOf(run: () => unknown): SidecarError {
  try {
    run()
  } catch (error) {
    if (isSidecarError(error)) return error
    throw error
  }
  return expect.fail('nothing was thrown')
}

const refused = (autoHealth: object): SidecarError => errorOf(() => createClient({ baseUrl, autoHealth }))

describe('a name that does not exist brings the one that is', () => {
  test.each([
    ['chek', 'check'],
    ['cheeck', 'check'],
    ['chexk', 'check'],
    ['hceck', 'check'],
    ['CHECK', 'check'],
    ['stalltimeout', 'stallTimeout'],
    ['wor', 'worker'],
    ['workerabc', 'worker'],
    ['abcker', 'worker'],
    ['abcworker', 'worker'],
    ['inter', 'interval'],
    ['intevral', 'interval'],
  ])('up to three letters away: %s', (given, meant) => {
    const { hint, summary, code } = refused({ [given]: 1 })
    expect(hint).toBe(`Did you mean ${meant}?`)
    expect(summary).toBe(`There is no autoHealth option "${given}"`)
    expect(code).toBe('CONFIG')
  })

  test.each(['wo', 'workerabcd', 'abcder', 'w'.repeat(100)])('or else all of them: %s', (given) => {
    expect(refused({ [given]: 1 }).hint).toBe('Known: interval, check, worker, stallTimeout')
  })

  test('a name of which no letter is right is no slip', () => {
    expect(errorOf(() => createClient({ baseUrl, url: baseUrl } as never)).hint).toMatch(/^Known: .*\bbaseUrl\b/)
  })

  test('and of two that are as near, the first', async () => {
    const client = createClient({ baseUrl })
    await expect(client.updateCounter('a', { countDi: 1 } as never)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      operation: 'updateCounter',
      hint: 'Did you mean count?',
    })
    client.close()
  })
})

describe('an error shows what was given', () => {
  const got = (timeout: unknown): string => errorOf(() => createClient({ baseUrl, timeout } as never)).summary
  test.each([
    ['a text', 'soon', '"soon"'],
    ['a number', -1, '-1'],
    ['a symbol', Symbol('a'), 'Symbol(a)'],
    ['null', null, 'null'],
    ['a list', [1, 2], '1,2'],
    ['what has no text', Object.create(null), 'object'],
  ])('%s', (_what, value, text) => {
    expect(got(value)).toBe(`timeout must be a number above 0; got ${text}`)
  })

  test('up to 80 characters of it', () => {
    expect(got('x'.repeat(1000))).toBe(`timeout must be a number above 0; got "${'x'.repeat(79)}`)
  })

  test('and its hint is what to give', () => {
    const error = errorOf(() => createClient({ baseUrl, timeout: 0 }))
    expect(error).toMatchObject({ code: 'CONFIG', hint: 'Give a number above 0' })
    expect(error.message).toBe('timeout must be a number above 0; got 0')
  })

  test('also where a name was to be a text', async () => {
    const client = createClient({ baseUrl })
    await expect(client.waitFor(7 as never)).rejects.toMatchObject({ summary: 'There is no state 7' })
    client.close()
  })
})
