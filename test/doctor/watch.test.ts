import { describe, expect, test } from 'vitest'
import type { ControlCommand } from '../../src/platform/sidecar.js'
import { createLocalSidecar } from '../../src/node.js'
import { startSidecar } from '../support/with-sidecar.js'
import { faulty, find, json } from './support.js'

/** Time for a row: shorter if it expects no answer to the watch, long on a busy machine otherwise. */
const patienceFor = (what: string): number => (what === 'stalled' ? 3_000 : 20_000)

describe('each mistake of the watch and of the GameServer is found', () => {
  const ofPlatform = (value: string): ControlCommand => ({
    type: 'setAnnotation',
    key: 'agones.dev/sdk-version',
    value,
  })
  const padded = (bytes: number): ControlCommand => ({ type: 'padObject', bytes })
  type Row = [id: string, what: string, commands: readonly ControlCommand[], status: string, text: RegExp]
  const rows: Row[] = [
    ['stream', 'stalled', [{ type: 'stallWatchers' }], 'failure', /gives nothing/],
    ['stream', 'honest', [], 'ok', /gives the GameServer/],
    ['websocket', 'stalled', [{ type: 'stallWatchers' }], 'warning', /gives nothing \(no frame within/],
    ['websocket', 'honest', [], 'ok', /gives the GameServer/],
    ['size', 'too large', [padded(70_000)], 'failure', /over 65536 .* nothing sent/],
    ['size', 'nearly too large', [padded(60_000)], 'warning', /from 65536 on, no WebSocket/],
    ['size', 'honest', [], 'ok', /bytes as JSON/],
    ['faults', 'set', [{ type: 'delayCalls', ms: 5, operations: ['ready'] }], 'warning', /calls are delayed/],
    ['faults', 'that wait', [{ type: 'loseWrites', count: 1 }], 'warning', /: writes are lost$/],
    ['faults', 'none', [], 'ok', /no faults/],
    ['state', 'Unhealthy', [{ type: 'setState', state: 'Unhealthy' }], 'failure', /is Unhealthy, which is final/],
    ['state', 'being deleted', [{ type: 'delete' }], 'warning', /being deleted/],
    ['state', 'honest', [], 'ok', /Scheduled/],
    ['version', '1.53', [ofPlatform('1.53.0')], 'warning', /the platform 1\.53\.0, which is older than 1\.54/],
    ['version', '1.57', [ofPlatform('1.57.0')], 'ok', /this package is 0\.1\.0, the platform 1\.57\.0/],
  ]
  test.concurrent.for(rows)('%s, %s', async ([id, what, commands, status, text], { onTestFinished }) => {
    const local = await createLocalSidecar({ onWarning: () => {} })
    onTestFinished(() => local.close())
    for (const command of commands) expect(local.control(command)).toEqual({ ok: true })
    const finding = await find(id, { url: local.url, patience: patienceFor(what) })
    expect(`${finding.status}: ${finding.text}`).toMatch(new RegExp(`^${status}: `))
    expect(finding.text).toMatch(text)
  })

  test('the three largest annotations are named', async () => {
    const { url, control } = await startSidecar()
    for (const [key, bytes] of Object.entries({ small: 1, third: 300, second: 400 }))
      control({ type: 'setAnnotation', key, value: 'x'.repeat(bytes) })
    control({ type: 'padObject', bytes: 70_000 })
    const { fix } = await find('size', { url })
    expect(fix).toMatch(/: \S+ \(70000\), second \(400\), third \(300\)$/)
  })

  test('checks are skipped where an older version reports less', async () => {
    const url = await faulty({ 'GET /_/api/state': json(200, { gameServer: {}, mode: 'local' }) })
    expect((await find('listener', { url })).text).toMatch(/of this package listens, in local mode/)
    for (const id of ['faults', 'beats']) expect([id, (await find(id, { url })).status]).toEqual([id, 'skipped'])
  })
})
