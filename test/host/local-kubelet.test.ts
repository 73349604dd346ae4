import { describe, expect, onTestFinished, test } from 'vitest'
import { describeUnhealthy } from '../../src/node/host/local-kubelet.js'
import { createLocalSidecar } from '../../src/node/local/local-sidecar.js'
import type { LocalSidecar } from '../../src/node/local/local-sidecar.js'

async function sidecarAfter(...paths: readonly string[]): Promise<LocalSidecar> {
  const local = await createLocalSidecar({ port: 0 })
  onTestFinished(() => local.close())
  for (const path of paths) {
    const { status } = await fetch(local.url + path, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    })
    expect(status).toBe(200)
  }
  return local
}

describe('the sentence about a GameServer that is ended because it is Unhealthy', () => {
  test('says that no beat has ever come, and what sends them', async () => {
    const local = await sidecarAfter('/ready')
    for (let period = 0; period < 10; period += 1) local.control({ type: 'advanceClock', ms: 5_000 })
    expect(describeUnhealthy(local)).toMatch(
      /no beat has ever come\. createClient\(\{ autoHealth: true \}\) sends them/,
    )
  })

  test('says for how long none has come, after those that have', async () => {
    const local = await sidecarAfter('/ready', '/health')
    local.control({ type: 'ignoreBeats', on: true })
    for (let period = 0; period < 10; period += 1) local.control({ type: 'advanceClock', ms: 5_000 })
    expect(describeUnhealthy(local)).toMatch(/no beat has come for \d+ s$/)
  })

  test('says nothing of beats when it was made Unhealthy by hand', async () => {
    const local = await sidecarAfter('/ready')
    local.control({ type: 'makeUnhealthy' })
    expect(describeUnhealthy(local)).not.toMatch(/beat/)
  })
})
