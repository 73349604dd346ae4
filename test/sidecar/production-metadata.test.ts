import { describe, expect, it } from 'vitest'
import { startHarness } from './support/harness.js'

const name63 = 'a'.repeat(63)

describe('production: labels and annotations', () => {
  it('appear under the prefix 500 ms later, in one write', async () => {
    const { call, watch, clock } = startHarness()
    const seen = watch()
    await call('PUT', '/metadata/label', { key: 'mode', value: 'ctf' })
    await call('PUT', '/metadata/label', { key: 'map', value: '' })
    clock.advance(500)
    expect(seen).toHaveLength(2)
    expect(seen[1]!.object_meta.labels).toEqual({ 'agones.dev/sdk-map': '', 'agones.dev/sdk-mode': 'ctf' })
  })

  it('set to what they are cause no event', async () => {
    const { call, watch, clock } = startHarness()
    await call('PUT', '/metadata/label', { key: 'mode', value: 'ctf' })
    clock.advance(500)
    const seen = watch()
    await call('PUT', '/metadata/label', { key: 'mode', value: 'ctf' })
    clock.advance(5000)
    expect(seen).toHaveLength(1)
  })

  it('are all written again with the next one, over what was changed from outside', async () => {
    const { call, clock, sidecar } = startHarness()
    await call('PUT', '/metadata/label', { key: 'mode', value: 'ctf' })
    clock.advance(500)
    sidecar.control({ type: 'setLabel', key: 'agones.dev/sdk-mode', value: 'other' })
    await call('PUT', '/metadata/label', { key: 'map', value: 'x' })
    clock.advance(500)
    expect(sidecar.snapshot().gameServer.object_meta.labels).toMatchObject({ 'agones.dev/sdk-mode': 'ctf' })
  })

  it.each([
    ['a b', 'invalid label key "a b": name part must consist of alphanumeric characters'],
    ['', 'invalid label key "": name part must be non-empty, name part must consist of'],
    ['a'.repeat(64), `invalid label key "${'a'.repeat(64)}": name part must be no more than 63 bytes`],
    ['-a', 'invalid label key "-a": name part must consist of'],
    ['a/b/c', 'invalid label key "a/b/c": a valid label key must consist of'],
    ['/b', 'invalid label key "/b": prefix part must be non-empty'],
    ['A_/b', 'invalid label key "A_/b": prefix part a lowercase RFC 1123 subdomain must consist of'],
    ['a"\n', 'invalid label key "a\\"\\n": name part must consist of'],
  ])('refuse the key %j', async (key, message) => {
    const { call } = startHarness()
    const [status, body] = await call('PUT', '/metadata/label', { key, value: 'v' })
    expect(status).toBe(400)
    expect(body).toEqual({ code: 3, message: expect.stringContaining(message), details: [] })
    const [annotationStatus, annotation] = await call('PUT', '/metadata/annotation', { key, value: 'v' })
    expect(annotationStatus).toBe(400)
    expect(annotation).toMatchObject({
      message: expect.stringContaining(message.replace('label key', 'annotation key')),
    })
  })

  it('give the whole reason in Kubernetes’ words', async () => {
    const { call } = startHarness()
    const [, body] = await call('PUT', '/metadata/label', { key: 'k', value: 'a b' })
    expect(body).toEqual({
      code: 3,
      message:
        'invalid label value "a b" for key "k": a valid label must be an empty string or consist of alphanumeric ' +
        "characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or " +
        "'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
      details: [],
    })
  })

  it('take any annotation value', async () => {
    const { call, clock, sidecar } = startHarness()
    expect(await call('PUT', '/metadata/annotation', { key: 'k', value: '<a b>\n😀' })).toEqual([200, {}])
    clock.advance(500)
    expect(sidecar.snapshot().gameServer.object_meta.annotations).toEqual({ 'agones.dev/sdk-k': '<a b>\n😀' })
  })

  it.each(['a/b', name63, 'a'.repeat(60)])(
    'with the poison key %s are accepted, warned of, and harm no other',
    async (key) => {
      const { call, clock, sidecar, warnings } = startHarness()
      expect(await call('PUT', '/metadata/label', { key, value: 'v' })).toEqual([200, {}])
      await call('PUT', '/metadata/label', { key: 'good', value: 'v' })
      clock.advance(1000)
      expect(sidecar.snapshot().gameServer.object_meta.labels).toEqual({ 'agones.dev/sdk-good': 'v' })
      expect(warnings()).toEqual(['poison-label'])
    },
  )

  it('over 256 KiB in all, annotations are accepted and not written', async () => {
    const { call, clock, sidecar, warnings } = startHarness()
    expect(await call('PUT', '/metadata/annotation', { key: 'k', value: 'x'.repeat(262_144) })).toEqual([200, {}])
    clock.advance(500)
    expect(sidecar.snapshot().gameServer.object_meta.annotations).toEqual({})
    expect(warnings()).toEqual(['annotations-too-large'])
  })

  it('are kept under keys such as __proto__ as any other', async () => {
    const { call } = startHarness({ mode: 'local' })
    await call('PUT', '/metadata/label', JSON.parse('{"key":"__proto__","value":"x"}'))
    const [, body] = await call('GET', '/gameserver')
    expect(JSON.stringify(body)).toContain('"agones.dev/sdk-__proto__":"x"')
    expect(({} as Record<string, unknown>)['agones.dev/sdk-']).toBeUndefined()
  })
})
