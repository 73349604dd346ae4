import { expect, test } from 'vitest'
import type { LocalSidecar } from '../../src/node.js'
import { startSidecar } from '../support/with-sidecar.js'
import { run } from '../tools/support.js'

const beat = (url: string): Promise<Response> => fetch(`${url}/health`, { method: 'POST', body: '{}' })

/** Lets ten health periods pass without a beat. */
function passTime(local: LocalSidecar): string {
  for (let step = 0; step < 10; step += 1) local.control({ type: 'advanceClock', ms: 5_000 })
  return local.sidecar.snapshot().gameServer.status.state
}

const commands: readonly (readonly string[])[] = [
  ['doctor', '--timeout', '20'],
  ['call', 'getGameServer'],
  ['call', 'health'],
  ['watch', '--until', 'Scheduled'],
  ['allocate'],
]
test.each(commands)(
  '%s %s is no call of a game: no health clock starts, and no operation is covered',
  async (...args) => {
    const expected = ['ready', 'watch', 'gameserver']
    const local = await startSidecar({ conformance: expected })
    await run(...args, '--url', local.url).finished
    expect(local.sidecar.conformance()).toMatchObject({ missing: expected })
    expect(passTime(local)).toBe('Scheduled')
    await fetch(`${local.url}/gameserver`)
    expect(passTime(local)).toBe('Unhealthy')
  },
)

test('a beat of a command resets no failures, and the log names the command', async () => {
  const local = await startSidecar()
  await fetch(`${local.url}/gameserver`)
  local.control({ type: 'advanceClock', ms: 11_000 })
  const { failures } = local.sidecar.snapshot().health
  expect(failures).toBeGreaterThan(0)
  await run('call', 'health', '--url', local.url).finished
  expect(local.sidecar.snapshot().health).toMatchObject({ failures, beats: 0 })
  const entry = local.sidecar.log
    .entries()
    .find(({ event }) => event.type === 'call' && event.call.operation === 'health')
  expect(entry).toMatchObject({ client: 'call', event: { tool: true }, warnings: [{ code: 'beat-of-tool' }] })
})

test('doctor counts only the beats of games, and blames hidden tabs only for pages', async () => {
  const local = await startSidecar({ gameServer: { spec: { health: { periodSeconds: 5 } } } })
  local.control({ type: 'setClock', speed: 0 })
  await run('call', 'health', '--url', local.url).finished
  const doctor = async (): Promise<string> => (await run('doctor', '--url', local.url, '--timeout', '20').finished).out
  expect(await doctor()).toMatch(/no beat has come yet/)
  await beat(local.url)
  local.control({ type: 'advanceClock', ms: 6_000 })
  const report = await doctor()
  expect(report).toMatch(/\[✗\] 1 beat in the last 15 s, worst gap 6\.0 s, longer than/)
  expect(report).not.toMatch(/hidden tab/)
})

test('doctor says that a game beats and never called ready()', async () => {
  const local = await startSidecar()
  await beat(local.url)
  expect((await run('doctor', '--url', local.url, '--timeout', '20').finished).out).toMatch(
    /\[!\] the GameServer is Scheduled, though beats come: no game has called ready\(\)/,
  )
})
