import { describe, expect, test } from 'vitest'
import { explainEntry } from '../../src/sidecar/index.js'
import type { SidecarConfig } from '../../src/sidecar/index.js'
import { startHarness } from './support/harness.js'
import type { Harness } from './support/harness.js'

/** Why the last entry of the log turned out as it did. */
function whyOf({ sidecar }: Harness): { rule: string; production?: string } {
  const { seq } = sidecar.log.entries().at(-1)!
  return explainEntry(sidecar.log.find(seq)!, sidecar.config)
}

async function why(
  method: string,
  path: string,
  body?: unknown,
  config: Partial<SidecarConfig> = {},
): Promise<{ rule: string; production?: string }> {
  const harness = startHarness(config)
  await harness.call(method, path, body)
  return whyOf(harness)
}

describe('the rule of an entry', () => {
  test.for([
    ['PATCH', '/v1beta1/counters/rooms', { count: 11 }, 'updateCounter is refused: count 11 is above the capacity 10.'],
    ['PATCH', '/v1beta1/counters/rooms', { countDiff: -2 }, 'updateCounter is refused: count -1 is below 0.'],
    ['PATCH', '/v1beta1/counters/rooms', { capacity: -1 }, 'updateCounter is refused: capacity -1 is below 0.'],
    [
      'PATCH',
      '/v1beta1/counters/rooms',
      {},
      'updateCounter is refused: it changes nothing: give count, capacity or a countDiff but 0.',
    ],
    ['GET', '/v1beta1/counters/nope', undefined, 'getCounter is refused: there is no counter nope.'],
    [
      'PATCH',
      '/v1beta1/lists/rooms',
      { capacity: 1001 },
      'updateList is refused: capacity 1001 is above the limit of a list, which is 1000.',
    ],
    ['POST', '/v1beta1/lists/rooms:addValue', { value: 'a' }, 'addListValue is refused: list rooms holds a already.'],
    [
      'POST',
      '/v1beta1/lists/rooms:removeValue',
      { value: 'z' },
      "removeListValue is refused: list rooms doesn't hold z.",
    ],
    ['POST', '/Ready', {}, 'No operation has the path /Ready; a trailing slash or another case makes it another path.'],
    ['GET', '/ready', undefined, 'The path /ready is there, but not for GET.'],
  ] as const)('%s %s %j says what decided, with its numbers', async ([method, path, body, rule]) => {
    expect(await why(method, path, body)).toEqual({ rule })
  })

  test('names the gate that is off', async () => {
    const { rule } = await why('GET', '/v1beta1/lists/a', undefined, { featureGates: { CountsAndLists: false } })
    expect(rule).toBe('getList is refused: the feature gate CountsAndLists is off.')
  })

  test('a call that is ignored because the GameServer has ended says so', async () => {
    const harness = startHarness()
    harness.sidecar.control({ type: 'makeUnhealthy' })
    await harness.call('POST', '/ready')
    expect(whyOf(harness).rule).toBe(
      'The GameServer is Unhealthy, which is final: the call is answered with 200 and ignored.',
    )
  })

  test('names the fault that decided, and the time that one took', async () => {
    const harness = startHarness()
    harness.sidecar.control({ type: 'failCalls', count: 2, status: 500 })
    await harness.call('POST', '/ready')
    expect(harness.sidecar.log.entries().at(-1)).toMatchObject({ fault: true, reply: { status: 500 } })
    expect(whyOf(harness).rule).toBe('The fault failCalls answered it with 500 before it took effect, 1 more to fail.')

    harness.sidecar.control({ type: 'clearFaults' })
    harness.sidecar.control({ type: 'delayCalls', ms: 70 })
    const answered = harness.call('POST', '/ready')
    await new Promise((resolve) => setTimeout(resolve))
    harness.clock.advance(70)
    await answered
    expect(harness.sidecar.log.entries().at(-1)).toMatchObject({ fault: true, ms: 70 })
    expect(whyOf(harness).rule).toContain('it took 70 ms')
  })

  test('a refused control command says why', () => {
    const harness = startHarness()
    harness.sidecar.control({ type: 'allocate' })
    expect(whyOf(harness).rule).toMatch(/^The control command allocate was refused: .*Ready/)
  })
})

describe('what a pod does', () => {
  test('is said only where it is something else', async () => {
    expect(await why('PUT', '/metadata/label', { key: 'a', value: 'b' })).not.toHaveProperty('production')
    const local = await why('PUT', '/metadata/label', { key: 'a', value: 'b' }, { mode: 'local' })
    expect(local.production).toBe('A pod answers when the write is queued, and writes it about 500 ms later.')
  })

  test('is the warning of a mistake that goes wrong there', async () => {
    const { production } = await why('POST', '/reserve', { seconds: '9223372037' })
    expect(production).toContain('overflows')
  })
})
