import { expect, onTestFinished, test } from 'vitest'
import { describeUnhealthy } from '../../src/host/supervise.js'
import { createLocalSidecar, type LocalSidecar } from '../../src/local/sidecar/local-sidecar.js'

const silent = ({ control }: LocalSidecar): void => {
  control({ type: 'ignoreBeats', on: true })
  for (let period = 0; period < 10; period += 1) control({ type: 'advanceClock', ms: 5_000 })
}

test.each<[why: string, calls: readonly string[], become: (local: LocalSidecar) => unknown, sentence: RegExp]>([
  [
    'has never had a beat',
    ['/ready'],
    silent,
    /: no beat has ever come\. createClient\(\{ autoHealth: true \}\) sends/,
  ],
  ['gets no more beats', ['/ready', '/health'], silent, /: no beat has come for \d+ s$/],
  ['was made Unhealthy by hand', ['/ready'], ({ control }) => control({ type: 'makeUnhealthy' }), /would end it now$/],
])('the reason of an Unhealthy GameServer is that it %s', async (_why, calls, become, sentence) => {
  const local = await createLocalSidecar({ port: 0 })
  onTestFinished(() => local.close())
  const headers = { 'content-type': 'application/json' }
  for (const path of calls) await fetch(local.url + path, { method: 'POST', body: '{}', headers })
  become(local)
  expect(describeUnhealthy(local)).toMatch(sentence)
})
