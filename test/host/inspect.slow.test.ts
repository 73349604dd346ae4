import { createServer } from 'node:net'
import { once } from 'node:events'
import { WebSocket, type ClientOptions } from 'ws'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listenHere } from '../support/listen.js'
import { until } from '../support/until.js'
import { calls } from '../support/with-sidecar.js'
import { run } from '../tools/support.js'
import { hostHere, TICKS } from './support/host-here.js'
import { browserProcesses, noBrowser, portsOf } from './support/processes.js'
import { pageOf } from './support/run-host.js'

const portsOfBrowser = (browser: number): number[] => portsOf(...browserProcesses(browser).map(({ pid }) => pid))

/** The window of DevTools, as far as it is used here. */
async function attach(url: string, options: ClientOptions = {}) {
  const socket = new WebSocket(url, { perMessageDeflate: false, ...options })
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
  const events: (string | undefined)[] = []
  socket.on('message', (data: Buffer) => events.push((JSON.parse(data.toString()) as { method?: string }).method))
  let id = 0
  return {
    events,
    send: (method: string, params = {}) => socket.send(JSON.stringify({ id: (id += 1), method, params })),
    event: (name: string) => until(() => events.includes(name)),
  }
}

describe.skipIf(noBrowser !== undefined)('a debugger of the hosted page', () => {
  test('has no port without inspect', async () => {
    const host = await hostHere(TICKS)
    await host.until('booted')
    expect(portsOfBrowser(host.browser())).toEqual([])
    expect(host.events.map(({ event }) => event)).not.toContain('debugger')
  })

  test('may stop the page, and the GameServer stays healthy', async () => {
    const health = { initialDelaySeconds: 1, periodSeconds: 2, failureThreshold: 1 }
    const script = `${TICKS}
      setInterval(() => { if (globalThis.isWrong) debugger }, 16)
      fetch('/_/sidecar/ready', { method: 'POST', body: '{}' })`
    const host = await hostHere(script, {
      local: { gameServer: { spec: { health } } },
      inspect: 0,
      hangTimeout: 100,
      grace: 2_500,
    })
    await host.until('booted')
    await host.until('state', ({ state }) => state === 'Ready')
    const { url } = await host.until('debugger')
    const [, address = '', port] =
      /^devtools:\/\/devtools\/bundled\/inspector\.html\?ws=(127\.0\.0\.1:(\d+)\/.+)$/.exec(url)!
    expect(portsOfBrowser(host.browser())).toEqual([Number(port)])
    await expect(attach(`ws://${address}`, { origin: 'http://evil.example' })).rejects.toThrow('403')

    const devtools = await attach(`ws://${address}`, { origin: 'devtools://devtools' })
    devtools.send('Debugger.enable')
    devtools.send('Runtime.evaluate', { expression: 'globalThis.isWrong = true' })
    await devtools.event('Debugger.paused')
    const beats = (): number => calls(host.local!).filter((name) => name === 'health').length
    const before = beats()
    await until(() => beats() >= before + 5)
    expect(host.local!.sidecar.snapshot().gameServer.status.state).toBe('Ready')
    expect(devtools.events).not.toContain('Debugger.resumed')
    devtools.send('Debugger.resume')
    await devtools.event('Debugger.resumed')
    expect(host.events.map(({ event }) => event)).not.toContain('hang')
    expect((await host.close()).code).toBe(0)
  })

  test('lifts the limit of the first step alone: the reminder of ready() comes as without it', async () => {
    const host = await hostHere(`setTimeout(() => { ${TICKS} }, 5_000)`, { inspect: 0, bootTimeout: 4_000 })
    await host.until('booted')
    expect((await host.until('warning', ({ text }) => text.includes('has not called ready()'))).text).toContain(
      '2000 ms',
    )
  })

  test('at a taken port ends the command, which names the flag', async () => {
    const port = await listenHere(createServer())
    const { code, err } = await run('host', await pageOf(TICKS), '--local', '--players-port=0', `--inspect=${port}`)
      .finished
    expect(err).toMatch(new RegExp(`^Port ${port} is already in use; choose another with --inspect`))
    expect(code).toBe(69)
  })
})
