import { expect, test } from 'vitest'
import { cli } from '../cli/support.js'
import { TICKS } from '../host/support/host-here.js'
import { browserProcesses, noBrowser } from '../host/support/processes.js'
import { pageOf } from '../host/support/run-host.js'
import { until } from '../support/until.js'

const READY = `fetch('/_/sidecar/ready', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })`

test.skipIf(noBrowser !== undefined)('each page of a Fleet is Ready in a browser, which ends with it', async () => {
  const dir = await pageOf(`${TICKS}\n${READY}.then(({ status }) => console.log('ready', status))`)
  const options = ['--port', '0', '--players-port', '23000-23019', '--replicas', '2', '--log-format', 'json']
  const { child, finished, line } = cli(['fleet', ...options, dir])
  const [, first, pid] = await line(/"text":"(\S+) started as process (\d+)/)
  const [, second, other] = await line(new RegExp(`"text":"(?!${first} )(\\S+) started as process (\\d+)`))
  for (const name of [first!, second!]) {
    await line(new RegExp(`"event":"output","server":"${name}".*"text":"ready 200"`))
    await line(new RegExp(`"text":"${name}: \\S+ → Ready`))
  }
  child.kill('SIGTERM')
  expect((await finished).code).toBe(0)
  for (const browser of [pid, other]) await until(() => browserProcesses(Number(browser)).length === 0)
})
