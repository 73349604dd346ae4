import { existsSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { TICKS } from '../host/support/host-here.js'
import { browserProcesses, noBrowser } from '../host/support/processes.js'
import { pageOf } from '../host/support/run-host.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'
import { cli } from './support.js'

/** A page, and a browser that never answers. */
async function silent(): Promise<{ readonly dir: string; readonly browser: string; isStarted(): boolean }> {
  const dir = await temporaryFolder('page')
  await writeFile(join(dir, 'index.html'), '<!doctype html>')
  const browser = join(await temporaryFolder('browser'), 'silent')
  await writeFile(browser, '#!/bin/sh\n: > "$0.started"\nexec sleep 300\n')
  await chmod(browser, 0o755)
  return { dir, browser, isStarted: () => existsSync(`${browser}.started`) }
}

const objects = (out: string): object[] => out.split('\n').map((line) => JSON.parse(line) as object)

const JSON_LINES = ['--local', '--players-port', '0', '--log-format', 'json'] as const

describe.skipIf(process.platform === 'win32')('host', () => {
  test.each([
    ['SIGTERM', 'SIGTERM'],
    ['SIGHUP', 'SIGTERM'],
  ] as const)('ends with 0 at %s during its start', async (sent, signal) => {
    const { dir, browser, isStarted } = await silent()
    const { child, finished } = cli(['host', dir, ...JSON_LINES, '--browser', browser, '--boot-timeout', '3600000'])
    await until(isStarted)
    child.kill(sent)
    const { code, out, err } = await finished
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const reason = `It was told to stop by ${signal} while it started`
    expect(objects(out).slice(-2)).toMatchObject([
      { event: 'shutdown', signal },
      { event: 'exit', code: 0, reason },
    ])
  })

  test('with --log-format json, reports wrong options as an event', async () => {
    const { dir } = await silent()
    const { code, out, err } = await cli(['host', dir, ...JSON_LINES, '--hang-timeout', '7']).finished
    expect(code).toBe(64)
    expect(err).toMatch(/^hangTimeout must be an integer from 100/)
    expect(objects(out)).toMatchObject([{ event: 'exit', code: 64, reason: err }])
  })

  test('ends with 66 where --path names no page', async () => {
    const { dir, browser } = await silent()
    // The browser that is being started is not waited for.
    const path = ['--path', '/server.html?a=1', '--boot-timeout', '3600000']
    const run = cli(['host', dir, ...JSON_LINES, '--browser', browser, ...path])
    const { code, out } = await run.finished
    expect(code).toBe(66)
    expect(objects(out).at(-1)).toMatchObject({
      reason: expect.stringContaining('has no page at /server.html?a=1') as string,
    })
  })
})

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
