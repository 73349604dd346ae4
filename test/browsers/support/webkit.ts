import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../support/free-port.js'

const DRIVER = '/usr/bin/WebKitWebDriver'
const DISPLAY_SERVER = '/usr/bin/Xvfb'

/** WebKitGTK has no headless mode: it needs a display or a virtual one. */
export const webKitIsHere = existsSync(DRIVER) && (!!process.env['DISPLAY'] || existsSync(DISPLAY_SERVER))

export interface WebKitPage {
  run<T>(expression: string): Promise<T>
  end(): Promise<void>
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill()
  const late = setTimeout(() => child.kill('SIGKILL'), 5000)
  await once(child, 'exit')
  clearTimeout(late)
}

export interface Display {
  name: string
  end(): Promise<void>
}

/** The present display, or a virtual one. */
export async function openDisplay(): Promise<Display> {
  const own = process.env['DISPLAY']
  if (own) return { name: own, end: async () => {} }
  const flags = ['-displayfd', '1', '-nolisten', 'tcp']
  const server = spawn(DISPLAY_SERVER, flags, { stdio: ['ignore', 'pipe', 'ignore'] })
  const [number] = (await once(createInterface(server.stdout), 'line')) as [string]
  return { name: `:${number}`, end: () => stop(server) }
}

type Send = <T>(method: string, path: string, body?: unknown) => Promise<T>

/** A script for WebDriver, which waits for the callback and drops values that aren't JSON. */
const asScript = (expression: string): string => `
  const done = arguments[0]
  Promise.resolve().then(() => (${expression})).then(
    (value) => done({ value }),
    (error) => done({ error: String(error) + ' ' + (error && error.stack) }))`

const sendTo =
  (port: number): Send =>
  async <T>(method: string, path: string, body?: unknown) => {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) }
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, init)
    const { value } = (await answer.json()) as { value: T & { message?: string } }
    if (!answer.ok) throw new Error(`WebKitWebDriver: ${value.message}`)
    return value
  }

async function untilUp(send: Send): Promise<void> {
  for (let attempt = 1; attempt <= 200; attempt++) {
    if (
      await send('GET', '/status').then(
        () => true,
        () => false,
      )
    )
      return
    await sleep(50)
  }
  throw new Error('WebKitWebDriver did not start')
}

/** Opens a page in a browser of its own: a driver has one session. */
export async function openInWebKit(display: Display, url: string): Promise<WebKitPage> {
  const port = await freePort()
  const driver = spawn(DRIVER, [`--port=${port}`], {
    env: { ...process.env, DISPLAY: display.name },
    stdio: 'ignore',
  })
  const send = sendTo(port)
  try {
    await untilUp(send)
    const capabilities = { alwaysMatch: { timeouts: { script: 120_000 } } }
    const { sessionId } = await send<{ sessionId: string }>('POST', '/session', { capabilities })
    const session = `/session/${sessionId}`
    await send('POST', `${session}/url`, { url })
    const run = async <T>(expression: string): Promise<T> => {
      const body = { script: asScript(expression), args: [] }
      const answer = await send<{ value: T; error?: string }>('POST', `${session}/execute/async`, body)
      if (answer.error !== undefined) throw new Error(answer.error)
      return answer.value
    }
    // The driver reports a page as loaded before its modules are.
    await run(`document.readyState === 'complete' || new Promise((loaded) => addEventListener('load', () => loaded()))`)
    return {
      run,
      end: () =>
        send('DELETE', session).then(
          () => stop(driver),
          () => stop(driver),
        ),
    }
  } catch (error) {
    await stop(driver)
    throw error
  }
}
