import { describe, expect, it } from 'vitest'
import { startHarness } from './support/harness.js'

const limit = 4 * 1024 * 1024

/** A body of almost the largest size: `before`, then as many of `unit` as fit, then `after`. */
const fill = (before: string, unit: string, after = ''): string =>
  before + unit.repeat(Math.floor((limit - before.length - after.length) / unit.length)) + after

const ask = async (call: string, body: string): Promise<[status: number, body: unknown]> => {
  const { sidecar } = startHarness({ mode: 'production' })
  const [method = '', path = ''] = call.split(' ')
  const response = await sidecar.handle(new Request(`http://localhost${path}`, { method, body }))
  return [response.status, await response.json()]
}

describe('a body that is malformed', () => {
  it.each([
    ['a JSON object is expected, not [1]', '[1]'],
    [`a JSON object is expected, not ${'x'.repeat(40)}…`, 'x'.repeat(100)],
    ['the body ends before its JSON object does', '{"seconds":1'],
    ['the field "seconds" must be a 64-bit integer, not "ten"', '{"seconds":"ten"}'],
    ['the field "seconds" must be a 64-bit integer, not 9223372036854775808', '{"seconds":9223372036854775808}'],
    ['the field "seconds" is given twice', '{"seconds":1,"seconds":1}'],
    ['a string holds half of a surrogate pair', '{"a":"\\ud83d"}'],
    ['the body is nested more than 10000 levels deep', '{"a":' + '['.repeat(10_000)],
  ])('is refused because %s', async (problem, body) => {
    const message = `invalid request: ${problem}`
    expect(await ask('POST /reserve', body)).toEqual([400, { code: 3, message, details: [] }])
  })

  it('is refused by the name of its wrong field', async () => {
    const messageOf = async (call: string, body: string): Promise<unknown> => (await ask(call, body))[1]
    expect(await messageOf('PUT /metadata/label', '{"key":["a"]}')).toMatchObject({
      message: 'invalid request: the field "key" must be a string, not ["a"]',
    })
    expect(await messageOf('PATCH /v1beta1/lists/rooms', '{"values":["a",1]}')).toMatchObject({
      message: 'invalid request: the field "values" must be a list of strings, not ["a",1]',
    })
    for (const values of ['{"a":1}', '"a"', '[null]', '[["a"]]', '[ "a" , "]" , {} ]', '["\\"]",true]', '[[]]']) {
      expect(await messageOf('PATCH /v1beta1/lists/rooms', `{"values": ${values} }`)).toMatchObject({
        message: `invalid request: the field "values" must be a list of strings, not ${values}`,
      })
    }
    expect(await messageOf('PATCH /v1beta1/lists/rooms', '{"size":1}')).toMatchObject({
      message: 'invalid request: a list has no field "size"',
    })
  })
})

describe('a key that means something to JavaScript', () => {
  it('is data in a body', async () => {
    const { sidecar, call, clock } = startHarness()
    expect((await call('PUT', '/metadata/annotation', JSON.parse('{"__proto__":{"key":"a"}}')))[0]).toBe(400)
    expect(await call('PUT', '/metadata/annotation', { key: 'constructor', value: 'x' })).toEqual([200, {}])
    clock.advance(600)
    const { annotations } = sidecar.snapshot().gameServer.object_meta
    expect(Object.entries(annotations ?? {})).toContainEqual(['agones.dev/sdk-constructor', 'x'])
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  it('is data in a control command', () => {
    const { sidecar } = startHarness()
    const labels = JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>
    expect(sidecar.control({ type: 'allocate', force: true, labels })).toEqual({ ok: true })
    const entries = Object.entries(sidecar.snapshot().gameServer.object_meta.labels ?? {})
    expect(entries).toEqual(
      expect.arrayContaining([
        ['__proto__', 'x'],
        ['constructor', 'y'],
      ]),
    )
    expect(Object.keys(Object.prototype)).toEqual([])
  })
})

describe('a hostile body of 4 MiB is answered in linear time', () => {
  it.each([
    ['digits', 'POST /reserve', fill('{"seconds":', '9', '}'), 400],
    ['zeros before a last digit', 'POST /reserve', fill('{"seconds":1.', '0', '1}'), 400],
    ['zeros before a last digit, quoted', 'POST /reserve', fill('{"seconds":"1.', '0', '1"}'), 400],
    ['zeros', 'POST /reserve', fill('{"seconds":0.', '0', '}'), 200],
    ['an exponent', 'POST /reserve', fill('{"seconds":1e', '9', '}'), 400],
    ['the same field', 'POST /reserve', fill('{"seconds":1', ',"seconds":1', '}'), 400],
    ['opening brackets', 'POST /ready', fill('{"a":', '['), 400],
    ['pairs of brackets', 'POST /ready', fill('{"a":[[]', ',[]', ']}'), 200],
    ['colons', 'POST /ready', fill('{', ':', '}'), 400],
    ['unknown fields', 'POST /ready', fill('{"a":1', ',"a":1', '}'), 200],
    ['escapes', 'POST /ready', fill('{"a":"', '\\n', '"}'), 200],
    ['surrogate pairs', 'POST /ready', fill('{"a":"', '\\ud83d\\ude00', '"}'), 200],
    ['backslashes', 'POST /ready', fill('{"a":"', '\\'), 400],
    ['white space', 'POST /ready', fill('{"a":', ' ', '1}'), 200],
    ['beats', 'POST /health', fill('', '{}'), 200],
    ['a label key', 'PUT /metadata/label', fill('{"key":"', 'a.', '!/b"}'), 400],
    ['a label value', 'PUT /metadata/label', fill('{"key":"a","value":"', 'a-', '"}'), 400],
    ['list values', 'PATCH /v1beta1/lists/rooms', fill('{"values":["a"', ',"a"', ']}'), 200],
  ])('%s', async (_name, call, body, status) => {
    const start = performance.now()
    expect((await ask(call, body))[0]).toBe(status)
    expect(performance.now() - start).toBeLessThan(10_000)
  })
})
